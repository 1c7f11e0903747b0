/// What can be done to notes, the same whether they live in the store alone or are files of a vault.
public protocol NoteChanging: Sendable {
    /// Saves what `read` gives as the newest version of the note `name`.
    func save(
        as name: NoteName, label: String?, reading read: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> Change
    /// Moves the head of a note to its parent, `steps` times or as often as there is one.
    func undo(_ note: NoteReference, steps: Int) throws -> NoteStore.HeadMove
    /// Moves the head of a note to the child that undo last left, `steps` times or as often as there is one.
    func redo(_ note: NoteReference, steps: Int) throws -> NoteStore.HeadMove
    /// Brings an older version back as the newest.
    func restore(_ reference: VersionReference, of note: NoteReference) throws -> Change
    /// Renames a note.
    func rename(_ note: NoteReference, to name: NoteName) throws -> Change
    /// Renames a folder with everything in it.
    func renameFolder(_ folder: NoteName, to name: NoteName) throws -> [Change]
    /// Deletes notes, which keep all their versions.
    func delete(_ notes: [NoteReference]) throws -> [Change]
    /// Brings a deleted note back.
    func undelete(_ note: NoteReference, as name: NoteName?) throws -> Change
}

extension NoteStore: NoteChanging {}
extension Vault: NoteChanging {}
