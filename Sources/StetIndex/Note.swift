public import StetObjects

/// A note as the index has it.
public struct Note: Equatable, Sendable {
    /// Its place in the order in which notes were made in this store.
    package var ordinal: Int
    /// Its lasting identity.
    public package(set) var id: NoteID
    /// Its present name; that of a deleted note is the one it had last.
    public package(set) var name: NoteName
    /// The number of the version that it shows.
    public package(set) var head: Int
    /// Whether it was deleted. It can be brought back.
    public package(set) var isDeleted: Bool
}

/// A saved state of a note.
public struct Version: Equatable, Sendable {
    /// Its number in the note, from 1; never used again and never shifted.
    public package(set) var number: Int
    /// Its identity in every store.
    public package(set) var id: VersionID
    /// The numbers of the versions it was made from: none for the first, two or more for a merge.
    public package(set) var parents: [Int]
    /// The name of its bytes.
    public package(set) var object: ObjectID
    /// The length of its bytes.
    public package(set) var size: Int
    /// When it was saved, by the clock of that moment.
    public package(set) var saved: Timestamp
    /// How it came to be.
    public package(set) var kind: VersionKind
    /// Words that somebody put on it.
    public package(set) var label: String?
    /// Whether it is marked as one to keep for good.
    public package(set) var isPinned: Bool
    /// The operation that made it, in this store's order.
    package var operation: Int
    /// The version that redo goes to from here.
    package var redo: Int?
}

/// A name that a note had, and until when.
public struct FormerName: Equatable, Sendable {
    /// The name it gave up.
    public package(set) var name: NoteName
    /// When it was given up.
    public package(set) var until: Timestamp
    package var operation: Int
}
