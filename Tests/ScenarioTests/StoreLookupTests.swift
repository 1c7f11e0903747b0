import Foundation
import Testing
import TestSupport

/// Which store a command uses: --store, else STET_STORE, else the nearest .stet upwards, else the user's own.
struct StoreLookupTests {
    /// Makes a store at `path` whose only note says which one it is.
    private func make(_ path: String, _ scene: Scene) throws {
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FileManager.default.makeFolder(parent)
        try scene.stet("init", "--bare", path)
        try scene.stet("--store", path, "save", "which", "-", input: path)
    }

    @Test func theMostSpecificStoreWins() throws {
        let scene = try Scene(hasStore: false)
        let home = scene.temporary.appending("home")
        let stores = (
            given: scene.temporary.appending("given"), variable: scene.temporary.appending("variable"),
            near: scene.folder + "/.stet", far: scene.temporary.appending(".stet"), data: scene.store,
            home: home + "/.local/share/stet"
        )
        scene.environment["XDG_DATA_HOME"] = nil
        try make(stores.home, scene)
        #expect(try scene.shown("which") == stores.home)
        // A relative path is no valid XDG_DATA_HOME.
        scene.environment["XDG_DATA_HOME"] = "data"
        #expect(try scene.shown("which") == stores.home)
        scene.environment["XDG_DATA_HOME"] = scene.temporary.appending("data")
        try make(stores.data, scene)
        #expect(try scene.shown("which") == stores.data)
        try make(stores.far, scene)
        #expect(try scene.shown("which") == stores.far)
        try make(stores.near, scene)
        #expect(try scene.shown("which") == stores.near)
        try make(stores.variable, scene)
        scene.environment["STET_STORE"] = stores.variable
        #expect(try scene.shown("which") == stores.variable)
        try make(stores.given, scene)
        #expect(try scene.stet("show", "which", "--store", stores.given).text == stores.given)
        scene.environment["STET_STORE"] = ""
        #expect(try scene.shown("which") == stores.near)
        scene.environment["STET_STORE"] = "../given"
        #expect(try scene.shown("which") == stores.given)
        try scene.expectSound()
    }

    @Test func aStoreThatIsNotThereIsNeverMade() throws {
        let scene = try Scene(hasStore: false)
        for call in ["list", "status", "history", "show n", "diff n", "verify", "rm n", "undo n", "undo", "ref n@1"] {
            let run = try scene.shell("stet \(call)", exits: 3)
            #expect(run.errors.hasPrefix("stet: there is no store at \(scene.store): type \"stet init\""), "\(call)")
        }
        try scene.shell("echo x | stet save n -", exits: 3)
        try scene.shell("echo x | stet save n - --store ../elsewhere", exits: 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.temporary.appending("data")).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder).isEmpty)
        #expect(try scene.stet().text.hasPrefix("stet keeps every version of every note.\n"))
    }

    @Test func noHomeAtAllIsAUsageError() throws {
        let scene = try Scene(hasStore: false)
        scene.environment["XDG_DATA_HOME"] = nil
        scene.environment["HOME"] = nil
        #expect(try scene.stet("list", exits: 2).errors.contains("--store"))
        try scene.stet("init", "--bare", "here")
        try scene.stet("--store", "here", "list")
    }

    @Test func initMakesTheUsersOwnStoreOnAFreshAccount() throws {
        let scene = try Scene(hasStore: false)
        scene.environment["XDG_DATA_HOME"] = nil
        try scene.stet("init", "--bare")
        #expect(
            FileManager.default.fileExists(atPath: scene.temporary.appending("home/.local/share/stet/index.sqlite")))
        try scene.expectSound()
    }

    @Test func initRefusesAFolderWithSomethingInIt() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        let before = try scene.contents()
        try scene.stet("init", "--bare", exits: 4)
        #expect(try scene.contents() == before)
        _ = FileManager.default.createFile(atPath: scene.folder + "/mine", contents: Data("mine".utf8))
        try scene.stet("init", "--bare", ".", exits: 4)
        try scene.stet("init", "--bare", "mine", exits: 4)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder) == ["mine"])
        #expect(FileManager.default.contents(atPath: scene.folder + "/mine") == Data("mine".utf8))
        try FileManager.default.makeFolder(scene.folder + "/empty")
        try scene.stet("init", "--bare", "empty")
        try scene.expectSound()
    }
}
