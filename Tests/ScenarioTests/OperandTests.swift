import Foundation
import Stet
import Testing
import TestSupport

/// What an operand means: times, names that hold "@", and what can mean several things.
struct OperandTests {
    /// A store whose note `n` has one version for each text, saved so many seconds ago.
    private func scene(_ ago: [(seconds: Int64, text: String)]) throws -> Scene {
        let scene = try Scene(hasStore: false)
        let clock = ManualClock()
        let store = try NoteStore.create(at: scene.store, clock: clock.clock)
        let now = Int64(Date().timeIntervalSince1970)
        for (seconds, text) in ago {
            clock.set((now - seconds) * 1000)
            try store.save(bytes(text), as: NoteName("n"))
        }
        try store.close()
        return scene
    }

    @Test func timesThatPeopleSayMeanTheHeadOfThatMoment() throws {
        let (hour, day) = (Int64(3_600), Int64(86_400))
        let scene = try scene([
            (800 * day, "years"), (70 * day, "months"), (15 * day, "weeks"), (3 * day, "days"), (3 * hour, "hours"),
            (600, "minutes"), (0, "now"),
        ])
        let times = [
            "2 years ago": "years", "1 month ago": "months", "1 week ago": "weeks", "2 days ago": "days",
            "48 hours ago": "days", "2 hours ago": "hours", "1 hour ago": "hours", "9 minutes ago": "minutes",
            "1 Minute ago": "minutes", "0 seconds ago": "now", "today": "now",
        ]
        for (time, text) in times { #expect(try scene.shown("n@\(time)") == text, "\(time)") }
        #expect(try scene.stet("show", "n@9 years ago", exits: 3).errors.contains("\"9 years ago\""))
        #expect(try scene.json("restore", "n@2 hours ago")[0]["new"] as? Bool == true)
        #expect(try scene.shown("n") == "hours")
        try scene.expectSound()
    }

    @Test func datesAreReadInTheZoneOfTheReader() throws {
        let scene = try Scene(hasStore: false)
        let clock = ManualClock()
        let store = try NoteStore.create(at: scene.store, clock: clock.clock)
        // 2025-11-29 23:30, 2025-11-30 10:00 and 2025-11-30 23:30, all in UTC.
        for (number, moment) in [1_764_459_000, 1_764_496_800, 1_764_545_400].enumerated() {
            clock.set(Int64(moment) * 1000)
            try store.save(bytes("v\(number + 1)\n"), as: NoteName("n"))
        }
        try store.close()
        let expectations = [
            "UTC": ["2025-11-29": 1, "2025-11-30": 3, "2025-11-30 10:00": 2, "2025-11-30T09:59:59": 1],
            "Europe/Rome": ["2025-11-30": 2, "2025-11-30 10:59": 1, "2025-11-30 11:00": 2, "2025-12-01": 3],
            "America/Los_Angeles": ["2025-11-29": 1, "2025-11-30": 3, "2025-11-30 02:00": 2],
        ]
        for (zone, times) in expectations {
            scene.environment["TZ"] = zone
            for (time, version) in times { #expect(try scene.shown("n@\(time)") == "v\(version)\n", "\(zone) \(time)") }
            // RFC 3339 says its zone itself.
            for (time, version) in [
                "2025-11-30T09:59:59Z": 1, "2025-11-30T10:00:00Z": 2, "2025-11-30T11:00:00.000+01:00": 2,
                "2025-11-30T23:29:59.999Z": 2, "2025-11-30T20:30:00-03:00": 3, "2025-11-30t23:30:00z": 3,
            ] { #expect(try scene.shown("n@\(time)") == "v\(version)\n", "\(zone) \(time)") }
        }
        scene.environment["TZ"] = "UTC"
        for time in ["2025-11-29 23:29", "2025-11-28"] { try scene.stet("show", "n@\(time)", exits: 3) }
        for time in [
            "2025-13-01", "2025-02-30", "2025-1-1", "2025-11-30T25:00Z", "2025-11-30T10:00+9999", "5 ago", "-1",
        ] {
            try scene.stet("show", "n@\(time)", exits: 2)
        }
        scene.environment["TZ"] = "America/Los_Angeles"
        #expect(try scene.stet("log", "n").lines[1].contains("2025-11-30 15:30:00 -0800"))
        #expect(try scene.json("log", "n")[0]["saved"] as? String == "2025-11-30T23:30:00.000Z")
        try scene.expectSound()
    }

    @Test func aLiveNoteThatBearsTheWholeTextWins() throws {
        let scene = try Scene()
        try scene.save("a first\n", "a second\n", as: "a")
        #expect(try scene.shown("a@1") == "a first\n")
        try scene.save("bears the whole text\n", as: "a@1")
        #expect(try scene.shown("a@1") == "bears the whole text\n")
        #expect(try scene.shown("a@1@1") == "bears the whole text\n")
        #expect(try scene.shown("a@head") == "a second\n")
        try scene.stet("rm", "a@1")
        #expect(try scene.shown("a@1") == "a first\n")
        try scene.save("mail\n", as: "me@example.org")
        #expect(try scene.shown("me@example.org") == "mail\n")
        #expect(try scene.shown("me@example.org@1") == "mail\n")
        try scene.expectSound()
    }

    @Test func aDotAndASlashMakeAnythingAName() throws {
        let scene = try Scene()
        for name in ["stet:123456", "--json", "-q", "plain"] {
            try scene.stet("save", "./" + name, "-", input: name)
            #expect(try scene.shown("./" + name) == name)
            #expect(try scene.shown("././" + name + "@1") == name)
        }
        #expect(
            try scene.json("list").compactMap { $0["name"] as? String } == ["--json", "-q", "plain", "stet:123456"])
        try scene.stet("show", "stet:123456", exits: 3)
        try scene.expectSound()
    }

    @Test func whatCanMeanSeveralThingsIsAskedBack() throws {
        let scene = try Scene()
        for text in ["first\n", "second\n"] {
            try scene.save(text, as: "n")
            try scene.stet("rm", "n")
        }
        let ids = try scene.json("list", "--deleted").compactMap { $0["note"] as? String }
        for command in ["undelete", "show", "history"] {
            let run = try scene.stet(command, "n", exits: 3)
            #expect(run.text == "")
            #expect(run.errorLines.count == 3)
            for id in ids { #expect(run.errors.contains("  stet:\(id)  n (deleted)")) }
        }
        #expect(try scene.json("list").isEmpty)
        try scene.stet("undelete", "stet:\(ids[0].prefix(12))")
        #expect(try scene.json("list")[0]["note"] as? String == ids[0])
        // Names that differ in case only: a look-up by a third spelling does not choose.
        try scene.save("1", as: "Todo.md")
        try scene.save("2", as: "todo.md")
        #expect(try scene.stet("show", "TODO.MD", exits: 3).errorLines.count == 3)
        try scene.stet("rm", "TODO.MD", exits: 3)
        try scene.stet("rm", "Todo.md")
        #expect(try scene.stet("show", "TODO.MD").errors == "stet: TODO.MD means the note that is now called todo.md\n")
        try scene.expectSound()
    }

    @Test func anAmbiguousHashListsItsCandidates() throws {
        let scene = try Scene()
        // Of 900 texts some have hashes that begin with the same four digits.
        let store = try NoteStore.open(at: scene.store, clock: ManualClock().clock)
        let saved = try store.save((1...900).map { SaveRequest(bytes("text \($0)\n"), as: try NoteName("n")) })
        try store.close()
        let prefixes = Dictionary(grouping: saved.map(\.version.object.description)) { $0.prefix(4) }
        let twice = try #require(prefixes.first { $0.value.count > 1 })
        let run = try scene.stet("show", "n@sha:\(twice.key)", exits: 3)
        #expect(run.text == "")
        #expect(run.errorLines.count == 1 + twice.value.count)
        for hash in twice.value { #expect(run.errors.contains(hash)) }
        try scene.expectSound()
    }

    @Test func anAmbiguousIdListsItsCandidates() throws {
        let scene = try Scene()
        for name in ["a", "b", "c"] { try scene.save(name, as: name) }
        // Ids are random: two are made alike behind Stet's back, so the store is not sound afterwards.
        try scene.sqlite("UPDATE note SET id = CAST(x'00112233' || substr(id, 5) AS BLOB) WHERE name IN (x'61', x'62')")
        let run = try scene.stet("show", "stet:001122", exits: 3)
        #expect(run.text == "")
        #expect(run.errorLines.count == 3)
        #expect(run.errorLines.dropFirst().map { $0.suffix(3) } == ["  a", "  b"])
        for line in run.errorLines.dropFirst() {
            let id = try #require(line.split(separator: " ").first.map(String.init))
            #expect(try scene.shown(id) == line.suffix(1))
        }
        try scene.stet("rm", "stet:001122", exits: 3)
        #expect(try scene.json("list").count == 3)
    }
}
