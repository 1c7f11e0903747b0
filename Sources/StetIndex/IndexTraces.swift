internal import StetObjects

/// What an index knows of single operations, by their numbers.
struct Traces {
    var versions: [Int: (note: Note, version: Version)] = [:]
    var headMoves: [Int: (note: Int, head: Int, time: Timestamp)] = [:]
    var renames: [Int: (moves: [Operation.Move], time: Timestamp)] = [:]
    var deletions: [Int: [Int]] = [:]
    var bookmarks: [Int: Marks.Mark] = [:]
    /// What it does not know the operations of.
    let marks: Marks

    init(_ index: StoreIndex) throws {
        marks = try Marks(index)
        for note in try index.notes(deleted: false) + index.notes(deleted: true) {
            for version in try index.versions(of: note, below: .max, limit: .max) {
                versions[version.operation] = (note, version)
            }
            let former = try index.formerNames(note.ordinal)
            for (position, name) in former.enumerated() {
                let next = position + 1 < former.count ? former[position + 1].name : note.name
                renames[name.operation, default: ([], name.until)].moves.append(.init(note: note.ordinal, name: next))
            }
        }
        try index.connection.forEach("SELECT note, operation, time, head FROM head_move") { row in
            headMoves[row.integer(1)] = (
                row.integer(0), row.integer(3), Timestamp(milliseconds: Int64(row.integer(2)))
            )
        }
        try index.connection.forEach("SELECT note, deleted FROM note WHERE deleted IS NOT NULL ORDER BY note") { row in
            deletions[row.integer(1), default: []].append(row.integer(0))
        }
        try index.connection.forEach("SELECT note, number, operation FROM bookmark") { row in
            bookmarks[row.integer(2)] = .init(note: row.integer(0), number: row.integer(1))
        }
    }
}

/// The marks on versions, and which versions there are.
struct Marks {
    struct Mark: Hashable, Comparable {
        var note: Int
        var number: Int

        static func < (left: Mark, right: Mark) -> Bool { (left.note, left.number) < (right.note, right.number) }
    }

    var labels: [Mark: String] = [:]
    var pins: Set<Mark> = []
    var bookmarks: Set<Mark> = []
    var versions: Set<Mark> = []

    init(_ index: StoreIndex) throws {
        func mark(_ row: Statement) -> Mark { Mark(note: row.integer(0), number: row.integer(1)) }
        try index.connection.forEach("SELECT note, number, text FROM label") { labels[mark($0)] = $0.text(2) }
        try index.connection.forEach("SELECT note, number FROM pin") { pins.insert(mark($0)) }
        try index.connection.forEach("SELECT note, number FROM bookmark") { bookmarks.insert(mark($0)) }
        try index.connection.forEach("SELECT note, number FROM version") { versions.insert(mark($0)) }
    }
}

extension StoreIndex {
    /// When the first version was saved.
    func firstTime() throws -> Timestamp {
        let time = try connection.first("SELECT time FROM version ORDER BY operation LIMIT 1") { $0.integer(0) }
        return Timestamp(milliseconds: Int64(time ?? 0))
    }

    /// Whether version `ancestor` is one that `number` was made from, along first parents.
    func isAncestor(_ ancestor: Int, of number: Int, note: Int) throws -> Bool {
        var number = number
        while number > ancestor, let parent = try parent(of: number, note: note) { number = parent }
        return number == ancestor
    }
}
