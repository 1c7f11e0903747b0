package import StetObjects

/// How a version came to be.
public enum VersionKind: Int, Sendable {
    /// Somebody saved it.
    case save = 1
    /// It was found in the user's file and recorded before something else was written there.
    case capture = 2
    /// An older version brought back.
    case restore = 3
    /// It came from another history.
    case `import` = 4
    /// Two versions brought together; it has a second parent.
    case merge = 5

    /// The word for it.
    public var name: String {
        switch self {
        case .save: "save"
        case .capture: "capture"
        case .restore: "restore"
        case .import: "import"
        case .merge: "merge"
        }
    }
}

/// One recorded change to the store, as its outcome: what is written to the log and what replay applies.
///
/// Notes are named by their ordinal in this store (1, 2, 3, … as they were made), versions by their number. Nothing
/// here has to be decided again at replay: no rule, no clock, no search.
package enum Operation: Equatable, Sendable {
    /// A device's first record.
    package struct Begin: Equatable, Sendable {
        package var device: DeviceID
        package var store: [UInt8]
        /// The device before, with its last sequence number and that record's check; nil for the first device.
        package var previous: Previous?

        package init(device: DeviceID, store: [UInt8], previous: Previous?) {
            self.device = device
            self.store = store
            self.previous = previous
        }

        package struct Previous: Equatable, Sendable {
            package var device: DeviceID
            package var sequence: Int
            package var check: [UInt8]

            package init(device: DeviceID, sequence: Int, check: [UInt8]) {
                self.device = device
                self.sequence = sequence
                self.check = check
            }
        }
    }

    /// A new version, of a new note where `created` is set.
    package struct Save: Equatable, Sendable {
        package var note: Int
        package var number: Int
        package var parents: [Int]
        package var kind: VersionKind
        package var object: ObjectID
        package var size: Int
        package var created: Created?
        package var label: String?

        package init(
            note: Int, number: Int, parents: [Int], kind: VersionKind, object: ObjectID, size: Int, created: Created?,
            label: String?
        ) {
            self.note = note
            self.number = number
            self.parents = parents
            self.kind = kind
            self.object = object
            self.size = size
            self.created = created
            self.label = label
        }

        package struct Created: Equatable, Sendable {
            package var id: NoteID
            package var name: NoteName

            package init(id: NoteID, name: NoteName) {
                self.id = id
                self.name = name
            }
        }
    }

    /// A note given another name.
    package struct Move: Equatable, Sendable {
        package var note: Int
        package var name: NoteName

        package init(note: Int, name: NoteName) {
            self.note = note
            self.name = name
        }
    }

    case begin(Begin)
    case save(Save)
    case undo(note: Int, from: Int, to: Int)
    case redo(note: Int, from: Int, to: Int)
    /// Several at once, so that names can be exchanged.
    case rename([Move])
    case delete([Int])
    case undelete(Move)
    /// An empty text takes the label away.
    case label(note: Int, number: Int, text: String)
    case pin(note: Int, number: Int)
    case unpin(note: Int, number: Int)
    case ref(note: Int, number: Int)
    case unref(note: Int, number: Int)
}

/// An operation with its place in the order and the time shown for it.
package struct TimedOperation: Equatable, Sendable {
    /// 1, 2, 3, … in this store.
    package var number: Int
    package var time: Timestamp
    package var operation: Operation

    package init(number: Int, time: Timestamp, operation: Operation) {
        self.number = number
        self.time = time
        self.operation = operation
    }
}
