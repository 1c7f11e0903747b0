// The parts of the manual page that no table holds, in man(7).

extension ManualPage {
    static let beginning = #"""
        .SH NAME
        stet \- keep every version of every note
        .SH SYNOPSIS
        \fBstet\fR [\fICOMMAND\fR] [\fIOPTION\fR]... [\fIOPERAND\fR]...
        .SH DESCRIPTION
        Stet keeps every version of every note that is saved, on your own disk, in a folder that plain tools can read.
        When a save returns, the version survives power loss.
        Undo, redo, restore, rename and delete take no text away.
        .PP
        A \fIvault\fR is a folder of your own text files, whose history the \fIstore\fR \fI.stet\fR in it keeps.
        In a store without a vault, notes live in the store only.
        The store is the one that \fB\-\-store\fR names, else the one that \fBSTET_STORE\fR names, else the nearest folder
        \fI.stet\fR in the working folder or above it, else your own.
        .PP
        Without a \fICOMMAND\fR it is \fBstatus\fR, or \fBhelp\fR where there is no store.
        \fBstet help\fR \fICOMMAND\fR says what is said here of one command.

        """#

    static let end = #"""
        .SH NOTES AND VERSIONS
        An operand \fINOTE\fR is one of these:
        .TP
        a path
        In a vault, from the working folder or absolute; where nothing has that name, a name from the vault's folder.
        In a store without a vault, the note's name.
        A leading \fB./\fR makes anything a path.
        .TP
        \fBstet:\fR\fIDIGITS\fR
        At least six digits of the note's id, as \fBhistory\fR prints them.
        .TP
        a bookmark
        As \fBref\fR prints it.
        .PP
        To read, a note is also found by a name that it had before, and after it was deleted.
        .PP
        \fINOTE\fR\fB@\fR\fIV\fR is a version of it, and \fIV\fR one of these:
        .TP
        a number
        Versions are numbered from 1 as they were made; a number is never given to another.
        .TP
        \fBhead\fR
        What the note shows now.
        .TP
        \fBsha:\fR\fIDIGITS\fR
        At least four digits of the SHA\-256 of its text.
        .TP
        a time
        What the note showed then: \fB2 hours ago\fR, \fByesterday\fR, \fB2026\-11\-30\fR (the end of that day),
        \fB2026\-11\-30 14:05\fR, or RFC 3339.
        .TP
        an id
        As \fBhistory \-\-json\fR prints it.
        .PP
        The operand is split at its last \fB@\fR, unless the whole of it is the name of a note.
        .SH ENVIRONMENT
        .TP
        \fBSTET_STORE\fR
        The store's folder, where no \fB\-\-store\fR names one.
        .TP
        \fBSTET_PAGER\fR, \fBPAGER\fR
        What \fBhistory\fR, \fBdiff\fR and \fBhelp\fR are shown with at a terminal where they do not fit on it; the first that
        is set counts, and \fBless\fR(1) where none is.
        \fBcat\fR or nothing means no pager.
        .TP
        \fBLESS\fR
        Set to \fBFRX\fR for the pager where it is not set.
        .TP
        \fBNO_COLOR\fR
        No colour, unless \fB\-\-color\fR says otherwise.
        .TP
        \fBXDG_DATA_HOME\fR, \fBHOME\fR
        Where your own store is.
        .TP
        \fBTZ\fR
        The zone of the times that are shown and read.
        .SH FILES
        .TP
        \fI.stet\fR
        The store of a vault, in the vault's folder.
        .TP
        \fI$XDG_DATA_HOME/stet\fR
        Your own store; by default \fI\(ti/.local/share/stet\fR.
        .TP
        \fISTORE/config\fR
        The settings that \fBstet config\fR shows and changes.
        .TP
        \fISTORE/caches/objects\fR
        The texts of all versions, each a file named by its SHA\-256.
        This is no cache: do not delete it.
        .TP
        \fISTORE/set\-aside\fR
        What \fBstet repair\fR put out of the way.
        .SH EXIT STATUS
        Of several operands all that can be done is done, and the status is that of the worst.
        .TP
        0
        Done.
        .TP
        1
        The answer is no: they differ, there is nothing to undo, damage was found.
        .TP
        2
        The call makes no sense.
        .TP
        3
        Not found, or several are meant.
        .TP
        4
        Something is in the way, such as another note's text or a file.
        .TP
        5
        The store is damaged or too new.
        .TP
        6
        The system refused: space, permission, a lock.
        .TP
        130
        Interrupted.

        """#

    static let ending = #"""
        .SH SEE ALSO
        \fBdiff\fR(1),
        \fBless\fR(1),
        \fBpatch\fR(1),
        \fBsha256sum\fR(1)

        """#
}
