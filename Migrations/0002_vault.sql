-- What is known of the user's own files, where the store keeps the history of a folder of them. Nothing here is in the
-- operation log: it is about this copy's files, and where it is missing the files are read again.

-- How the file of a note looked when it held the text of `version`: size, inode, times of the last change of its bytes
-- and of anything about it, and the moment of the look, in nanoseconds since 1970; five little-endian 8-byte integers.
CREATE TABLE file (
    note    INTEGER PRIMARY KEY REFERENCES note,
    version INTEGER NOT NULL,
    look    BLOB NOT NULL CHECK (length(look) = 40)
) STRICT;

-- What an operation that is committed still has to do to a file, until it is known to be done. Of the fourth kind: what
-- one that is not committed writes beside a file, to be taken away.
CREATE TABLE file_step (
    step      INTEGER PRIMARY KEY,
    kind      INTEGER NOT NULL,   -- 1 put a text in place, 2 move, 3 take away, 4 take away what was prepared, 4 write a text beside
    note      INTEGER,            -- NULL: a folder is moved
    name      BLOB NOT NULL,
    target    BLOB,               -- where it is moved
    inode     INTEGER,            -- of what is moved
    spare     BLOB NOT NULL,      -- the name in the same folder that is used on the way
    old_hash  BLOB,               -- the text before; NULL: there was no file
    new_hash  BLOB                -- the text afterwards; NULL: there is no file
) STRICT;

-- Folders that Stet made for a file. One that is left empty is removed again; no other folder ever is.
CREATE TABLE made_folder (
    name BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;
