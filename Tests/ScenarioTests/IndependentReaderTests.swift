import Foundation
import Stet
import TestSupport
import Testing

/// The store as the library has it, and as a program has it that knows nothing but docs/format.md.
@Suite struct IndependentReaderTests {
    private let fixture: StoreFixture
    private var history: RandomHistory

    init() throws {
        fixture = try StoreFixture()
        history = RandomHistory(.forTest("IndependentReaderTests"))
    }

    /// Compares all that the reader lists and extracts with what the library says.
    private func expectAgreement(
        _ folder: String, with store: NoteStore, options: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let check = try IndependentReader.run(["check"], on: folder, options: options)
        #expect(check.status == 0, "\(check.errors)", sourceLocation: sourceLocation)
        let run = try IndependentReader.run(["list"], on: folder, options: options)
        #expect(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
        let rows = try IndependentReader.list(run)
        let expected = try IndependentReader.expected(store)
        #expect(rows.count == expected.count, sourceLocation: sourceLocation)
        for (row, other) in zip(rows, expected) {
            var plain = row
            plain.bookmarked = nil
            #expect(plain == other, sourceLocation: sourceLocation)
            #expect(Array(row.name.utf8) == Array(other.name.utf8), sourceLocation: sourceLocation)
            #expect(
                row.namesBefore.map { Array($0.utf8) } == other.namesBefore.map { Array($0.utf8) },
                sourceLocation: sourceLocation)
        }
        let bookmarked = Set(rows.filter { $0.bookmarked != nil }.map { "\($0.note)@\($0.number)" })
        #expect(
            bookmarked == Set(history.bookmarks.keys.map { "\($0.note)@\($0.number)" }), sourceLocation: sourceLocation)
        try expectTexts(folder, with: store, options: options, sourceLocation: sourceLocation)
    }

    private func expectTexts(
        _ folder: String, with store: NoteStore, options: [String], sourceLocation: SourceLocation
    ) throws {
        let target = fixture.temporary.appending("extracted-\(UUID())")
        let run = try IndependentReader.run(["extract", target], on: folder, options: options)
        #expect(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
        var files: Set<String> = ["index.json"]
        for note in try store.notes() + store.notes(deleted: true) {
            files.insert(note.id.description)
            for version in try store.history(of: note) {
                let path = "\(note.id)/\(version.number)"
                files.insert(path)
                let text = Array(try Data(contentsOf: URL(fileURLWithPath: target + "/" + path)))
                #expect(try text == store.text(of: version), sourceLocation: sourceLocation)
            }
        }
        #expect(
            try Set(FileManager.default.subpathsOfDirectory(atPath: target)) == files, sourceLocation: sourceLocation)
    }

    /// A copy of the store as its files are now, to be spoilt.
    private func copy() throws -> String {
        let folder = fixture.temporary.appending("copy-\(UUID())")
        try FileManager.default.copyItem(atPath: fixture.folder, toPath: folder)
        return folder
    }

    @Test mutating func readerAgreesWithLibrary() throws {
        // Until every kind of record has come up, which is soon.
        var kinds: Set<UInt8> = []
        for _ in 0..<20 where kinds != Set(1...12) {
            try history.perform(kinds.isEmpty ? 400 : 50, on: fixture.store)
            kinds = try Set(logSegments(fixture.folder).flatMap { try LogSegment($0).kinds })
        }
        #expect(kinds == Set(1...12))
        try expectAgreement(fixture.folder, with: fixture.store)
        try expectAgreement(fixture.folder, with: fixture.store, options: ["--no-index"])
        try fixture.expectSound()
    }

    @Test mutating func flushedStoreNeedsNoIndex() throws {
        try history.perform(200, on: fixture.store)
        try fixture.store.flush()
        let folder = try copy()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/index.sqlite\(suffix)")
        }
        try expectAgreement(folder, with: fixture.store, options: ["--no-index"])
        try expectAgreement(fixture.folder, with: fixture.store)
    }

    @Test mutating func indexCompletesTornLog() throws {
        try history.perform(60, on: fixture.store)
        try fixture.store.flush()
        try history.perform(60, on: fixture.store)
        // The newest text is in the journal, and neither its file nor its whole record need be there.
        try fixture.store.save(bytes("the newest text"), as: NoteName("newest"))
        let newest = try fixture.store.find(.name(NoteName("newest")))
        let object = try fixture.store.version(.head, of: newest).object
        let path = try #require(try logSegments(fixture.folder).last)
        let last = try #require(try LogSegment(path).records.last)
        // Nobody flushes it meanwhile.
        try fixture.reopen(.readOnly)
        let versions = try IndependentReader.expected(fixture.store).count
        for kept in [0, 1, last.count / 2, last.count - 1] {
            let folder = try copy()
            var segment = try LogSegment(logSegments(folder)[0])
            segment.bytes.removeLast(last.count - kept)
            try segment.write()
            let text = folder + fixture.path(of: object).dropFirst(fixture.folder.count)
            try FileManager.default.removeItem(atPath: text)
            try expectAgreement(folder, with: fixture.store)
            let alone = try IndependentReader.run(["list"], on: folder, options: ["--no-index"])
            #expect(alone.status == 0)
            #expect(alone.errors.contains("does not count") == (kept > 0))
            let rows = try IndependentReader.list(alone)
            #expect(rows.count == versions - 1)
        }
    }

    @Test mutating func segmentsAndDevicesAreReadInOrder() throws {
        let folders = String(repeating: String(repeating: "n", count: 250) + "/", count: 15)
        let note = try fixture.store.save(bytes("far"), as: NoteName("far")).note
        for number in 0..<300 { try fixture.store.rename(.id(note.id), to: NoteName("\(folders)\(number)")) }
        #expect(try logSegments(fixture.folder).count == 2)
        try expectAgreement(fixture.folder, with: fixture.store)
        // A copy of a store goes on as a new device.
        let folder = try copy()
        let store = try NoteStore.open(at: folder, access: .readWrite, clock: fixture.clock.clock)
        try history.perform(80, on: store)
        #expect(try logSegments(folder).count == 3)
        try expectAgreement(folder, with: store)
        try expectAgreement(folder, with: store, options: ["--no-index"])
        try store.close()
    }

    @Test(arguments: [false, true]) mutating func flippedBitIsNoticed(flushed: Bool) throws {
        try history.perform(60, on: fixture.store)
        try fixture.store.save(bytes("the last record has a text\n"), as: NoteName("last"))
        if flushed { try fixture.store.flush() }
        let segment = try LogSegment(logSegments(fixture.folder)[0])
        let records = segment.records
        var generator = SplitMix64.forTest()
        var places: [(what: String, range: Range<Int>)] = [("header", 0..<16)]
        for (name, record) in [("first", records[0]), ("middle", records[records.count / 2])] + [
            ("last", records[records.count - 1])
        ] {
            let start = record.lowerBound
            places += [
                ("\(name) length", start..<(start + 4)), ("\(name) sequence", (start + 4)..<(start + 12)),
                ("\(name) previous", (start + 12)..<(start + 20)),
                ("\(name) payload", (start + 20)..<(record.upperBound - 8)),
                ("\(name) check", (record.upperBound - 8)..<record.upperBound),
            ]
        }
        for (what, range) in places {
            let folder = try copy()
            var spoilt = try LogSegment(logSegments(folder)[0])
            spoilt.bytes[Int.random(in: range, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try spoilt.write()
            let run = try IndependentReader.run(["check"], on: folder)
            // A last record that is damaged can look like one that was not written to its end. The index has it whole.
            func isNoticed(_ run: CommandRun) -> Bool {
                run.status == 1 && run.errors.contains("problem: ")
                    || what.hasPrefix("last") && run.errors.contains("does not count")
            }
            #expect(isNoticed(run), "\(what): \(run.errors)")
            let alone = try IndependentReader.run(["check"], on: folder, options: ["--no-index"])
            #expect(isNoticed(alone), "\(what): \(alone.errors)")
            #expect(!(run.errors + alone.errors).contains("Traceback"))
        }
    }

    @Test mutating func damagedTextIsNoticedAndNotGivenOut() throws {
        let text = [UInt8](repeating: 65, count: 70_000)
        let version = try fixture.store.save(text, as: NoteName("large")).version
        let whole = try IndependentReader.run(["cat", "large", "1"], on: fixture.folder)
        #expect(whole.status == 0 && whole.output == text)
        let folder = try copy()
        let path = folder + fixture.path(of: version.object).dropFirst(fixture.folder.count)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try Data([UInt8](repeating: 66, count: 70_000)).write(to: URL(fileURLWithPath: path))
        for arguments in [["check"], ["cat", "large", "1"], ["extract", fixture.temporary.appending("out")]] {
            let run = try IndependentReader.run(arguments, on: folder)
            #expect(run.status == 1 && run.errors.contains("is damaged"))
            #expect(arguments[0] == "check" || run.output.isEmpty)
        }
        let out = try FileManager.default.subpathsOfDirectory(atPath: fixture.temporary.appending("out"))
        #expect(!out.contains { $0.hasSuffix("/1") })
        // Nothing is ever written into the store.
        let inside = try IndependentReader.run(["extract", folder + "/out"], on: folder)
        #expect(inside.status == 1 && !FileManager.default.fileExists(atPath: folder + "/out"))
    }

    @Test mutating func garbledStoreIsRefusedInWords() throws {
        try history.perform(40, on: fixture.store)
        var generator = SplitMix64.forTest()
        for command in [["check"], ["list"], ["cat", "todo.md", "1"]] {
            for _ in 0..<8 {
                let folder = try copy()
                let files = try ["/index.sqlite", "/index.sqlite-wal"].map { folder + $0 } + logSegments(folder)
                let path = try #require(files.randomElement(using: &generator))
                var spoilt = try LogSegment(path)
                for _ in 0..<Int.random(in: 1...30, using: &generator) where !spoilt.bytes.isEmpty {
                    let place = Int.random(in: 0..<spoilt.bytes.count, using: &generator)
                    spoilt.bytes[place] = UInt8.random(in: 0...255, using: &generator)
                }
                if Bool.random(using: &generator) {
                    spoilt.bytes.removeLast(Int.random(in: 0...spoilt.bytes.count, using: &generator))
                }
                try spoilt.write()
                let run = try IndependentReader.run(command, on: folder)
                #expect(run.status == 0 || run.status == 1 && run.errors.contains("problem: "), "\(run.errors)")
                #expect(!run.errors.contains("Traceback"), "\(path): \(run.errors)")
            }
        }
        for folder in [fixture.temporary.path, fixture.temporary.appending("none")] {
            #expect(try IndependentReader.run(["check"], on: folder).status == 1)
        }
    }
}
