import Foundation
import Testing
import TestSupport

/// What the system allows. Run as an ordinary user: root is refused nothing.
struct PermissionTests {
    private static let reads = [
        "list", "status", "history", "history n", "show n", "show n@1", "show large", "diff n@1",
        "list --json", "resolve \"$REF\"", "restore n@1 --to ../work/out",
    ]
    private static let writes = [
        "rm n", "undo n", "redo n", "ref n@1", "rename n m", "pin n@1", "label n@1 x", "restore n@1", "undelete gone",
        "save n - </dev/null", "save n - <large", "save new - </dev/null",
    ]

    private func preparedScene(asOrdinaryUser: Bool = true) throws -> Scene {
        let scene = try Scene(asOrdinaryUser: asOrdinaryUser)
        try scene.save("v1\n", "v2\n", "v3\n", as: "n")
        try scene.stet("undo", "n")
        try scene.save("gone", as: "gone")
        try scene.stet("rm", "gone")
        try scene.shell("seq 1 50000 > large; stet save large - < large")
        scene.environment["REF"] = try scene.stet("ref", "n@1").lines[0]
        return scene
    }

    private func outputs(_ scene: Scene) throws -> [[UInt8]] {
        try Self.reads.map { call in
            try? FileManager.default.removeItem(atPath: scene.folder + "/out")
            return try scene.shell("stet \(call)", exits: call.contains("diff") ? 1 : 0).output
        }
    }

    /// What stands beside the index.
    enum SideFiles: CaseIterable {
        case none, log, logAndSharedMemory

        func prepare(_ scene: Scene) throws {
            if self == .none { try scene.foldLog() }
            if self == .log { try scene.shell("rm \"$XDG_DATA_HOME/stet/index.sqlite-shm\"") }
            let names = try FileManager.default.contentsOfDirectory(atPath: scene.store).filter { $0.contains("-") }
            #expect(names.sorted() == ["index.sqlite-shm", "index.sqlite-wal"].suffix([0, 1, 2][index]))
        }

        private var index: Int { self == .none ? 0 : self == .log ? 1 : 2 }
    }

    // B11
    @Test(arguments: SideFiles.allCases)
    func aStoreThatCannotBeWrittenIsReadAndNotWritten(_ sideFiles: SideFiles) throws {
        let scene = try preparedScene()
        let before = try outputs(scene)
        try sideFiles.prepare(scene)
        try scene.shell("chmod -R a-w \"$XDG_DATA_HOME/stet\"")
        try expectReadOnly(scene, before, "Permission denied")
        try scene.shell("chmod -R u+w \"$XDG_DATA_HOME/stet\"")
        try scene.save("v4\n", as: "n")
        try scene.expectSound()
    }

    // B11: as an ordinary user and as root, whom the media alone refuses.
    @Test(.enabled(if: geteuid() == 0, "only root can mount a disk"), arguments: SideFiles.allCases, [true, false])
    func aStoreOnReadOnlyMediaIsReadAndNotWritten(_ sideFiles: SideFiles, _ asOrdinaryUser: Bool) throws {
        let scene = try preparedScene(asOrdinaryUser: asOrdinaryUser)
        let before = try outputs(scene)
        try sideFiles.prepare(scene)
        let data = URL(fileURLWithPath: scene.store).deletingLastPathComponent().path
        let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\""
        // A container may forbid it even to root.
        guard try CommandRun.run("/bin/sh", ["-c", script, data], in: "/").status == 0 else { return }
        defer { _ = try? CommandRun.run("/bin/umount", [data], in: "/") }
        try expectReadOnly(scene, before, "Read-only file system")
    }

    private func expectReadOnly(_ scene: Scene, _ before: [[UInt8]], _ reason: String) throws {
        let bytes = try scene.contents()
        #expect(try outputs(scene) == before)
        for call in ["verify", "verify --quick"] { try scene.shell("stet \(call)") }
        for call in Self.writes {
            let run = try scene.shell("stet \(call)", exits: 6)
            #expect((run.text, run.errorLines.count) == ("", 1), "\(call): \(run.errors)")
            #expect(run.errors.contains(reason), "\(call): \(run.errors)")
        }
        #expect(try scene.contents() == bytes)
    }

    @Test func aFolderThatCannotBeWrittenIsNamed() throws {
        let scene = try Scene(asOrdinaryUser: true)
        try scene.save("v1\n", as: "n")
        try scene.shell("mkdir closed; chmod a-w closed")
        let made = try scene.stet("init", "--bare", "closed/store", exits: 6)
        #expect(made.errors.contains("closed/store") && made.errors.contains("Permission denied"))
        let restored = try scene.stet("restore", "n@1", "--to", "closed/file", exits: 6)
        #expect(restored.errors == "stet: cannot open closed/file: Permission denied\n")
        let taken = try scene.stet("restore", "n@1", "--to", "closed", exits: 4)
        #expect(taken.errors.contains("closed is there already"))
        try scene.expectSound()
    }

    @Test func aStoreThatCannotBeReadIsTheSystemsRefusal() throws {
        let scene = try Scene(asOrdinaryUser: true)
        try scene.save("v1\n", as: "n")
        for mode in ["000", "600"] {
            try scene.shell("chmod \(mode) \"$XDG_DATA_HOME/stet\"")
            for call in ["list", "show n", "rm n", "verify"] {
                let run = try scene.shell("stet \(call)", exits: 6)
                #expect((run.text, run.errorLines.count) == ("", 1), "\(mode) \(call): \(run.errors)")
            }
        }
        try scene.shell("chmod 700 \"$XDG_DATA_HOME/stet\"; chmod 000 \"$XDG_DATA_HOME/stet/index.sqlite\"")
        try scene.stet("list", exits: 6)
        try scene.stet("rm", "n", exits: 6)
        try scene.shell("chmod 600 \"$XDG_DATA_HOME/stet/index.sqlite\"")
        try scene.expectSound()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can hand a store to another user"))
    func aStoreOfAnotherUserIsRefused() throws {
        let scene = try Scene(asOrdinaryUser: true)
        try scene.save("v1\n", as: "n")
        _ = try CommandRun.run("/bin/chown", ["-R", "0:0", scene.store], in: "/")
        _ = try CommandRun.run("/bin/chmod", ["-R", "a+rX", scene.store], in: "/")
        let before = try scene.contents()
        for call in ["list", "show n", "rm n", "verify", "save n - </dev/null"] {
            let run = try scene.shell("stet \(call)", exits: 6)
            #expect(run.errors == "stet: \(scene.store) belongs to another user: only its owner may use a store\n")
        }
        #expect(try scene.contents() == before)
        try scene.giveToOrdinaryUser()
        try scene.expectSound()
    }

    @Test(arguments: ["770", "707", "722"])
    func aStoreThatOthersMayWriteIntoIsRefused(_ mode: String) throws {
        let scene = try Scene(asOrdinaryUser: true)
        try scene.save("v1\n", as: "n")
        try scene.shell("chmod \(mode) \"$XDG_DATA_HOME/stet\"")
        for call in ["list", "show n", "rm n", "save n - </dev/null"] {
            let run = try scene.shell("stet \(call)", exits: 6)
            #expect(run.errors.contains("chmod go-w"))
        }
        // What the message tells to do helps.
        try scene.shell("chmod go-w \"$XDG_DATA_HOME/stet\"")
        try scene.expectSound()
    }

    @Test(arguments: ["000", "022", "077", "777"])
    func theUmaskDecidesNothingInTheStore(_ umask: String) throws {
        let scene = try Scene(hasStore: false, asOrdinaryUser: true)
        try scene.shell(
            "umask \(umask); stet init --bare; echo 1 | stet save n -; seq 1 50000 | stet save large -; stet list")
        let loose = try scene.shell(
            "cd \"$XDG_DATA_HOME\"; find stet -type d ! -perm 700; find stet -type f ! -perm 600 ! -perm 400")
        #expect(loose.text == "")
        let objects = try scene.shell("find \"$XDG_DATA_HOME/stet/caches/objects\" -type f -perm 400")
        #expect(objects.lines.count == 2)
        try scene.expectSound()
    }
}
