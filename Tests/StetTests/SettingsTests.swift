import Foundation
import Stet
import Testing
import TestSupport

/// The store's settings: what the file can say, and how it is changed.
struct SettingsTests {
    private func parsed(_ text: String) throws -> Settings { try Settings(parsing: bytes(text), of: "/config") }

    @Test func settingsThatAreNotThereAreTheDefaults() throws {
        let fixture = try StoreFixture()
        let settings = try fixture.store.settings()
        #expect(settings == Settings())
        #expect((settings.vault, settings.color, settings.pager, settings.sizeLimit) == (nil, .auto, .auto, 64 << 20))
        #expect(!Files.exists(fixture.folder + "/config"))
    }

    @Test func settingsAreReadFromLinesWithBlanksAndComments() throws {
        let settings = try parsed(
            "# mine\n\n  vault=/home/me/my notes \r\ncolor\t= never\n#x=y\npager = never\nsize-limit = 3K")
        #expect(settings.vault == "/home/me/my notes")
        #expect((settings.color, settings.pager, settings.sizeLimit) == (.never, .never, 3072))
        #expect(try parsed("") == Settings())
        #expect(try parsed("vault = /a = b # c").vault == "/a = b # c")
    }

    @Test(arguments: [
        ("1", 1), ("1000000", 1_000_000), ("64M", 64 << 20), ("2G", 2 << 30),
        ("8589934591G", 9_223_372_035_781_033_984),
    ])
    func sizesAreNumbersOfBytesOrOfLargerUnits(_ text: String, _ size: Int) throws {
        #expect(try parsed("size-limit = \(text)").sizeLimit == size)
    }

    @Test(arguments: [
        "colour = auto", "color", "color = Auto", "color =", "= auto", "[core]", "pager = less -R", "vault = notes",
        "vault =",
        "vault = ~/notes", "vault = /a\u{1B}b", "size-limit = 0", "size-limit = -1", "size-limit = 1.5M",
        "size-limit = M",
        "size-limit = ٣", "size-limit = 64m", "size-limit = 8589934592G", "size-limit = 99999999999999999999",
        "\u{FEFF}#",
    ])
    func lineThatMakesNoSenseIsNamed(_ line: String) throws {
        #expect(throws: SettingsError.line("/config", 2, line)) { try parsed("# settings\n\(line)\ncolor = auto\n") }
    }

    @Test func keyThatStandsTwiceIsRefused() throws {
        #expect(throws: SettingsError.line("/config", 3, "color = never")) {
            try parsed("color = never\n\ncolor = never\n")
        }
    }

    @Test func whatIsNoTextIsRefused() throws {
        #expect(throws: SettingsError.noText("/config")) {
            try Settings(parsing: bytes("# ") + [0xFF, 0x0A], of: "/config")
        }
        let long = bytes("#" + String(repeating: "x", count: Settings.maximumFileSize - 1))
        #expect(try Settings(parsing: long, of: "/config").bytes == long + [0x0A])
        #expect(throws: SettingsError.noText("/config")) { try Settings(parsing: long + [0x78], of: "/config") }
    }

    @Test func settingKeepsCommentsAndOrder() throws {
        var settings = try parsed("# first\ncolor=never\n\n  # last")
        try settings.set(.pager, to: "never")
        try settings.set(.color, to: "always")
        #expect(settings.bytes == bytes("# first\ncolor = always\n\n  # last\npager = never\n"))
        #expect(try Settings(parsing: settings.bytes, of: "/config") == settings)
        for (key, value) in [
            (Settings.Key.vault, "/a\nb"), (.vault, "/a "), (.vault, "a"), (.color, ""), (.color, "never # x"),
            (.sizeLimit, "8 M"),
        ] {
            #expect(throws: SettingsError.invalidValue(key, value)) { try settings.set(key, to: value) }
        }
    }

    @Test func settingsAreWrittenPrivatelyAndSeenByOthersAtOnce() throws {
        let fixture = try StoreFixture()
        try fixture.store.changeSettings { try $0.set(.color, to: "never") }
        try fixture.store.setVault("..")
        #expect(try Files.bytes(at: fixture.folder + "/config") == bytes("color = never\nvault = ..\n"))
        #expect(try Files.permissions(of: fixture.folder + "/config") == 0o600)
        #expect(!Files.exists(fixture.folder + "/config.new"))
        let other = try NoteStore.open(at: fixture.folder, access: .readOnly, clock: fixture.clock.clock)
        #expect(try other.settings().vault == "..")
        #expect(throws: StoreError.readOnly(fixture.folder)) { try other.setVault("/") }
        try fixture.expectSound()
    }

    @Test func settingsThatMakeNoSenseAreNotOverwritten() throws {
        let fixture = try StoreFixture()
        let path = fixture.folder + "/config"
        try Files.overwrite(path, with: bytes("colour = never\n"))
        #expect(throws: SettingsError.line(path, 1, "colour = never")) { try fixture.store.settings() }
        #expect(throws: SettingsError.line(path, 1, "colour = never")) { try fixture.store.setVault("..") }
        #expect(try Files.bytes(at: path) == bytes("colour = never\n"))
        try fixture.expectSound()
    }

    @Test func onlyAFileOfItsOwnIsTakenForSettings() throws {
        let fixture = try StoreFixture()
        let path = fixture.folder + "/config"
        let outside = fixture.temporary.appending("outside")
        try Files.overwrite(outside, with: bytes("color = never\n"))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
        #expect(throws: SettingsError.noText(path)) { try fixture.store.settings() }
        try Files.remove(path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: SettingsError.noText(path)) { try fixture.store.settings() }
        try Files.remove(path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: SettingsError.noText(path)) { try fixture.store.settings() }
    }

    @Test func whatAKilledWriterOfSettingsLeftIsInNobodysWay() throws {
        let fixture = try StoreFixture()
        let left = fixture.folder + "/config.new"
        let outside = fixture.temporary.appending("outside")
        try FileManager.default.createSymbolicLink(atPath: left, withDestinationPath: outside)
        try fixture.store.setVault("/notes")
        #expect(try fixture.store.settings().vault == "/notes")
        #expect(!Files.exists(outside) && !Files.exists(left))
        try fixture.expectSound()
    }

    @Test func storeBeginsWithTheSettingsItWasMadeWith() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.appending("store")
        // What an earlier attempt left does not count.
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try Files.overwrite(folder + "/config", with: bytes("pager = never\nnonsense"))
        var settings = Settings()
        try settings.set(.vault, to: "..")
        let store = try NoteStore.create(at: folder, settings: settings, clock: ManualClock().clock)
        #expect(try store.settings() == settings)
        #expect(throws: StoreError.alreadyThere(folder)) {
            try NoteStore.create(at: folder, clock: ManualClock().clock)
        }
        #expect(try store.settings() == settings)
        #expect(try store.verify().isClean)
    }
}
