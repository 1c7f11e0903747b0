package import StetObjects

/// What can still be read of an index that may be damaged anywhere: for `repair`. Rows that cannot be read are passed over.
package struct IndexSalvage {
    private let index: StoreIndex

    /// Opens what stands at `path` as far as it can be opened; nil where nothing can be read of it.
    ///
    /// - Throws: `LayoutError.tooNew`; where the system fails.
    package init?(_ path: String) throws {
        do {
            index = try StoreIndex.openForReading(path)
        } catch let error as DatabaseError where error.tellsOfDamage {
            return nil
        } catch LayoutError.notAnIndex {
            return nil
        }
    }

    /// The index, where it is sound by itself; else what is wrong with it.
    package func soundIndex() throws -> Result<StoreIndex, IndexDamage> {
        do {
            if let problem = try index.structuralProblems(limit: 1).first {
                // SQLite puts a heading on a line of its own above it.
                return .failure(IndexDamage(String(problem.split(separator: "\n").last ?? "it is not sound")))
            }
            // Every table and row that a writer needs first.
            for record in try index.records(after: 0) { _ = try index.versionID(of: record.operation) }
            return .success(index)
        } catch let error as DatabaseError where error.tellsOfDamage {
            return .failure(IndexDamage(error.message))
        } catch let damage as IndexDamage {
            return .failure(damage)
        }
    }

    /// The keys of a table's rows. A damaged page hides what comes after it, so they are read from both ends.
    private func keys(_ table: String, _ column: String) -> [Int] {
        var found: Set<Int> = []
        for order in ["ASC", "DESC"] {
            try? index.connection.forEach("SELECT \(column) FROM \(table) ORDER BY \(column) \(order)") { row in
                found.insert(row.integer(0))
            }
        }
        return found.sorted()
    }

    /// The records that it holds and that are whole, oldest first.
    package func records() -> [RecordFrame] {
        keys("record", "operation").compactMap { key in
            let bytes = try? index.connection.first("SELECT bytes FROM record WHERE operation = ?", key) { $0.bytes(0) }
            guard let bytes, case .record(let frame, bytes.count) = RecordFrame.read(bytes, at: 0) else { return nil }
            return frame
        }
    }

    /// The devices that it knows, in their order.
    package func devices() -> [StoreIndex.Device] { (try? index.devices()) ?? [] }

    /// Hands each text of the journal to `body`.
    ///
    /// - Parameter isWanted: whether a text is known elsewhere: one whose hash cannot be read here is of use only then.
    package func forEachText(where isWanted: (ObjectID) -> Bool, _ body: (ObjectID, [UInt8]) throws -> Void) throws {
        for key in keys("journal", "object") {
            let query = "SELECT bytes FROM journal WHERE object = ?"
            guard let bytes = try? index.connection.first(query, key, read: { $0.bytes(0) }) else { continue }
            let object = ObjectID(of: bytes)
            let row = try? index.connection.first("SELECT hash FROM object WHERE object = ?", key) { $0.object(0) }
            if isWanted(object) || row == object { try body(object, bytes) }
        }
    }

    /// What committed operations still have to do to the user's files, and the folders that Stet made; nil where not all
    /// of that can be read.
    package func unfinished() -> (steps: [FileStep], folders: [NoteName])? {
        guard let steps = try? index.steps(), let folders = try? index.madeFolders() else { return nil }
        return (steps, folders)
    }
}

extension DatabaseError {
    /// Whether it is about what stands in the file, and not about the machine or others who use the file.
    var tellsOfDamage: Bool {
        // SQLITE_PERM, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, FULL, CANTOPEN (https://www.sqlite.org/rescode.html).
        ![3, 5, 6, 7, 8, 9, 13, 14].contains(code & 0xFF)
    }
}

extension StoreIndex {
    fileprivate func madeFolders() throws -> [NoteName] {
        try connection.all("SELECT name FROM made_folder") { NoteName(stored: $0.bytes(0)) }
            .filter { (try? NoteName(bytes: $0.bytes)) != nil }
    }

    /// Folds everything into the one file and lets nothing stand beside it that it needs.
    ///
    /// - Throws: `IndexDamage` where somebody else uses it: it is a new one that nobody can know.
    package func fold() throws {
        try checkpoint(emptying: true)
        guard walPages == 0 else { throw IndexDamage("the new index \(path) could not be finished") }
    }
}
