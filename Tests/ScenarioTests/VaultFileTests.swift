import Foundation
import Testing
import TestSupport

/// Files that are not as files usually are: what they have is kept, and what cannot be kept is refused.
struct VaultFileTests {
    private func vault(asOrdinaryUser: Bool = false) throws -> Scene {
        let scene = try Scene(isVault: true, asOrdinaryUser: asOrdinaryUser)
        for text in ["v1\n", "v2\n"] {
            try scene.write(text, to: "n.md")
            try scene.stet("save")
        }
        return scene
    }

    /// Every command that would put another file in the place of `n.md` or take it away, and is refused; nothing changes.
    private func expectRefusals(
        _ scene: Scene, _ why: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try scene.json("history", "n.md").count
        for call in [["undo", "n.md"], ["restore", "n.md@1"], ["rm", "n.md"], ["save", "n.md", "-"]] {
            let run = try scene.stet(
                bytes: call.map { Array($0.utf8) }, input: bytes("other\n"), exits: 4, sourceLocation: sourceLocation)
            #expect(run.errorLines.count == 1 && run.errors.contains(why), sourceLocation: sourceLocation)
        }
        #expect(try scene.json("history", "n.md").count == before, sourceLocation: sourceLocation)
        #expect(try scene.json("list").count == 1, sourceLocation: sourceLocation)
    }

    @Test func modeAndAttributesAreKept() throws {
        let scene = try vault()
        let path = scene.folder + "/n.md"
        try FileManager.default.setAttributes([.posixPermissions: 0o754], ofItemAtPath: path)
        let set = "import os, sys; os.setxattr(sys.argv[1], 'user.colour', b'green')"
        try scene.shell("python3 -c \"\(set)\" n.md")
        for call in [["undo", "n.md"], ["redo", "n.md"], ["restore", "n.md@1"], ["save", "n.md", "-"]] {
            try scene.stet(bytes: call.map { Array($0.utf8) }, input: bytes("other\n"))
            #expect(try Files.permissions(of: path) == 0o754, "\(call)")
            let get = "import os, sys; print(os.getxattr(sys.argv[1], 'user.colour').decode())"
            #expect(try scene.shell("python3 -c \"\(get)\" n.md").text == "green\n", "\(call)")
        }
        try scene.expectVaultSound()
    }

    @Test(.enabled(if: geteuid() == 0)) func ownerIsKept() throws {
        let scene = try vault()
        _ = try CommandRun.run("/bin/chown", ["65534:65533", scene.folder + "/n.md"], in: "/")
        try scene.stet("undo", "n.md")
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.folder + "/n.md")
        #expect(attributes[.ownerAccountID] as? Int == 65534 && attributes[.groupOwnerAccountID] as? Int == 65533)
        try scene.expectVaultSound()
    }

    @Test func fileWithSeveralNamesIsRefused() throws {
        let scene = try vault()
        try FileManager.default.linkItem(atPath: scene.folder + "/n.md", toPath: scene.temporary.appending("other"))
        try expectRefusals(scene, "hard links")
        #expect(scene.file("n.md") == "v2\n")
        // Nothing is written by a renaming, nor by a save.
        try scene.stet("rename", "n.md", "m.md")
        try scene.write("v3\n", to: "m.md")
        try scene.stet("save")
        #expect(try Files.bytes(at: scene.temporary.appending("other")) == bytes("v3\n"))
        try scene.expectVaultSound()
    }

    @Test func symbolicLinkIsNotWrittenThrough() throws {
        let scene = try vault()
        let outside = scene.temporary.appending("outside")
        try Files.overwrite(outside, with: bytes("theirs\n"))
        try Files.remove(scene.folder + "/n.md")
        try FileManager.default.createSymbolicLink(atPath: scene.folder + "/n.md", withDestinationPath: outside)
        try expectRefusals(scene, "symbolic link")
        #expect(try Files.bytes(at: outside) == bytes("theirs\n"))
        // A scan leaves it out, since it may lead anywhere; one that is named is read.
        #expect(try scene.stet("save").text == "" && scene.json("status").count == 1)
        #expect(try scene.states() == ["n.md": "skipped"])
        #expect(try scene.stet("save", "n.md").text == "n.md@3\n")
        try Files.remove(scene.folder + "/n.md")
        for target in ["nowhere", "n.md"] {
            try FileManager.default.createSymbolicLink(
                atPath: scene.folder + "/n.md", withDestinationPath: scene.folder + "/" + target)
            try expectRefusals(scene, "symbolic link")
            #expect(try scene.stet("save").text == "" && scene.states() == ["n.md": "skipped"])
            try Files.remove(scene.folder + "/n.md")
        }
        try scene.expectSound()
    }

    @Test func folderInThePlaceOfANoteIsNotItsFile() throws {
        let scene = try vault()
        try Files.remove(scene.folder + "/n.md")
        try scene.write("theirs\n", to: "n.md/inside.md")
        for call in [["undo", "n.md"], ["restore", "n.md@1"]] { try scene.stet(bytes: call.map(bytes), exits: 4) }
        #expect(try scene.states() == ["n.md": "gone", "n.md/inside.md": "new"])
        #expect(try scene.stet("diff", exits: 1).text.contains("+++ /dev/null"))
        // The note has another name, and the folder its own.
        try scene.stet("rename", "n.md", "m.md")
        #expect(try scene.names() == ["n.md", "n.md/inside.md"])
        try scene.stet("restore", "m.md@head")
        try scene.stet("save")
        #expect(scene.file("m.md") == "v2\n")
        try scene.expectVaultSound()
    }

    // A folder that is a link leads out of the vault, or round and round: nothing is read or written through it.
    @Test func foldersThatAreLinksAreNotFollowed() throws {
        let scene = try vault()
        let outside = scene.temporary.appending("elsewhere")
        try FileManager.default.makeFolder(outside)
        try Files.overwrite(outside + "/x.md", with: bytes("theirs\n"))
        try FileManager.default.createSymbolicLink(atPath: scene.folder + "/out", withDestinationPath: outside)
        try FileManager.default.createSymbolicLink(atPath: scene.folder + "/loop", withDestinationPath: scene.folder)
        #expect(try scene.states() == ["out": "skipped", "loop": "skipped"])
        #expect(try scene.stet("save").text == "")
        for operand in ["out/x.md", "out/new.md"] { try scene.stet("save", operand, "-", input: "evil\n", exits: 2) }
        // The same file by another path is the same note.
        #expect(try scene.stet("save", "loop/n.md").text == "n.md@2\n")
        #expect(try Files.list(outside) == ["x.md"] && Files.bytes(at: outside + "/x.md") == bytes("theirs\n"))
        try scene.expectVaultSound()
    }

    // The folder of a note was replaced by a link to somewhere else.
    @Test func noteWhoseFolderBecameALinkIsNotWritten() throws {
        let scene = try vault()
        for text in ["v1\n", "v2\n"] {
            try scene.write(text, to: "sub/x.md")
            try scene.stet("save")
        }
        let outside = scene.temporary.appending("elsewhere")
        try FileManager.default.moveItem(atPath: scene.folder + "/sub", toPath: outside)
        try FileManager.default.createSymbolicLink(atPath: scene.folder + "/sub", withDestinationPath: outside)
        for call in [["undo", "stet:"], ["restore", "@1"]] {
            let id = try #require(try scene.json("list").last?["note"] as? String)
            let operand = call[1] == "@1" ? "stet:\(id)@1" : "stet:\(id)"
            try scene.stet(call[0], operand, exits: 4)
        }
        #expect(try Files.bytes(at: outside + "/x.md") == bytes("v2\n"))
        try scene.expectSound()
    }

    @Test(arguments: [false, true]) func readOnlyFileIsRefused(_ asOrdinaryUser: Bool) throws {
        let scene = try vault(asOrdinaryUser: asOrdinaryUser)
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: scene.folder + "/n.md")
        try expectRefusals(scene, "read-only")
        #expect(scene.file("n.md") == "v2\n")
        try scene.expectVaultSound()
    }

    @Test func fileThatAnotherProgramWritesIsRefused() throws {
        let scene = try vault()
        for call in ["undo n.md", "restore n.md@1", "rm n.md", "save n.md -"] {
            // The shell holds it open; what it runs does not.
            let run = try scene.shell("exec 9>>n.md; echo other | stet \(call) 9>&-", exits: 4)
            #expect(run.errorLines.count == 1 && run.errors.contains("open for writing"))
        }
        #expect(try scene.json("history", "n.md").count == 2)
        #expect(scene.file("n.md") == "v2\n")
        try scene.stet("undo", "n.md")
        #expect(scene.file("n.md") == "v1\n")
        try scene.expectVaultSound()
    }

    // A note replaced by a folder, and a folder by a note.
    @Test func noteAndFolderTakeEachOthersPlace() throws {
        let scene = try vault()
        try scene.write("v1\n", to: "folder/inner.md")
        try scene.stet("save")
        try Files.remove(scene.folder + "/n.md")
        try scene.write("v1\n", to: "n.md/inside.md")
        try Files.remove(scene.folder + "/folder")
        try scene.write("v1\n", to: "folder")
        #expect(
            try scene.states() == [
                "n.md": "gone", "n.md/inside.md": "new", "folder": "new", "folder/inner.md": "gone",
            ])
        let save = try scene.stet("save", exits: 4)
        #expect(save.text == "" && save.errors.contains("cannot both be notes"))
        for call in [["undo", "n.md"], ["restore", "n.md@1"], ["save", "n.md", "-"]] {
            try scene.stet(bytes: call.map { Array($0.utf8) }, input: bytes("x"), exits: 4)
        }
        try scene.stet("restore", "folder/inner.md@1", exits: 4)
        #expect(try scene.names() == ["folder", "n.md", "n.md/inside.md"])
        // Deleting the notes that are gone makes place for the others.
        try scene.stet("rm", "folder/inner.md")
        try scene.stet("rm", "n.md", exits: 4)
        try scene.expectSound()
    }

    @Test func pipesAndDevicesAreNeverReadNorWritten() throws {
        let scene = try vault()
        try scene.shell("mkfifo pipe.md; mkfifo other")
        #expect(try scene.states() == ["pipe.md": "skipped", "other": "skipped"])
        let save = try scene.stet("save", "pipe.md", exits: 4)
        #expect(save.errors.contains("no file"))
        try Files.remove(scene.folder + "/n.md")
        try scene.shell("mkfifo n.md")
        #expect(try scene.states() == ["n.md": "gone", "pipe.md": "skipped", "other": "skipped"])
        for call in [["undo", "n.md"], ["restore", "n.md@1"], ["save", "n.md", "-"], ["save", "n.md"]] {
            try scene.stet(bytes: call.map { Array($0.utf8) }, input: bytes("x"), exits: 4)
        }
        try scene.stet("diff", "n.md", exits: 4)
        try scene.expectSound()
    }

    // A name that exists is never overwritten.
    @Test func nameThatExistsIsNeverOverwritten() throws {
        let scene = try vault()
        try scene.write("theirs\n", to: "taken.md")
        try scene.stet("rename", "n.md", "taken.md", exits: 4)
        try scene.stet("rm", "n.md")
        try scene.write("new\n", to: "n.md")
        try scene.stet("undelete", "n.md", exits: 4)
        try scene.stet("undelete", "n.md", "--as", "taken.md", exits: 4)
        try FileManager.default.makeFolder(scene.folder + "/taken")
        try scene.stet("undelete", "n.md", "--as", "taken", exits: 4)
        #expect(scene.file("taken.md") == "theirs\n" && scene.file("n.md") == "new\n")
        try scene.stet("undelete", "n.md", "--as", "back.md")
        #expect(scene.file("back.md") == "v2\n")
        try scene.expectVaultSound()
    }

    @Test func foldersAreMadeAndOnlyStetsOwnAreRemoved() throws {
        let scene = try vault()
        try FileManager.default.makeFolder(scene.folder + "/theirs")
        try scene.stet("rename", "n.md", "theirs/ours/deep/n.md")
        #expect(try scene.names() == ["theirs", "theirs/ours", "theirs/ours/deep", "theirs/ours/deep/n.md"])
        try scene.stet("rename", "theirs/ours/deep/n.md", "n.md")
        #expect(try scene.names() == ["n.md", "theirs"])
        try scene.stet("rename", "n.md", "a/b/n.md")
        try scene.stet("rename", "a", "c")
        try scene.stet("rm", "c/b/n.md")
        #expect(try scene.names() == ["theirs"])
        try scene.stet("undelete", "c/b/n.md")
        try scene.write("x\n", to: "c/b/theirs.txt")
        try scene.stet("rm", "c/b/n.md")
        #expect(try scene.names() == ["c", "c/b", "c/b/theirs.txt", "theirs"])
        try scene.expectVaultSound()
    }

    @Test func renamingAFolderTakesEverythingInItAlong() throws {
        let scene = try vault()
        try scene.write("v1\n", to: "work/a.md")
        try scene.write([0, 1, 2], to: "work/photo.jpg")
        try scene.stet("save")
        try scene.stet("rename", "work", "archive/2026")
        #expect(
            try scene.names() == ["archive", "archive/2026", "archive/2026/a.md", "archive/2026/photo.jpg", "n.md"])
        try scene.stet("mv", "archive/2026", "./")
        #expect(scene.file("2026/a.md") == "v1\n")
        try scene.stet("mv", "n.md", "2026")
        #expect(try scene.stet("list").lines.map { $0.split(separator: " ")[0] } == ["2026/a.md", "2026/n.md"])
        try scene.expectVaultSound()
    }

    @Test func movesThatWereMadeAlreadyAreAccepted() throws {
        let scene = try vault()
        try scene.write("v1\n", to: "work/a.md")
        try scene.stet("save")
        try scene.shell("mv n.md m.md; mv work old; mkdir into; mv m.md into/")
        try scene.stet("rename", "n.md", "into/m.md")
        try scene.stet("rename", "work", "old")
        #expect(try scene.states().isEmpty)
        #expect(try scene.json("history", "into/m.md").count == 2)
        try scene.shell("mv into/m.md old")
        try scene.stet("rename", "into/m.md", "old")
        #expect(try scene.json("history", "old/m.md").count == 2)
        try scene.expectVaultSound()
    }

    // The store inside its own vault, by whatever way, is no part of the notes.
    @Test func storeInsideTheVaultIsNeverCaptured() throws {
        let scene = try Scene(hasStore: false)
        try scene.write("v1\n", to: "notes/n.md")
        try scene.shell("ln -s notes alias; stet init alias --store notes/history")
        for _ in 0..<3 { try scene.stet("--store", "notes/history", "save") }
        #expect(try scene.stet("--store", "notes/history", "list").lines.count == 1)
        #expect(try scene.stet("--store", "notes/history", "status", "--json").text == "")
        try scene.shell("ln -s \"$PWD/notes/history\" notes/link; stet --store notes/history save")
        let status = try scene.stet("--store", "notes/history", "verify", "--json").text
        #expect(status.contains("\"notes\":1,\"versions\":1,"))
        // A vault inside the store would be a loop.
        try scene.stet("init", "notes/history/caches", exits: 4)
        try scene.stet("init", "notes", "--store", "notes/history", exits: 4)
    }

    // B10: a full disk in the middle of a restore: file, note and store stay as they were.
    @Test(.enabled(if: geteuid() == 0)) func fullDiskLeavesFileAndNoteAsTheyWere() throws {
        let scene = try Scene(hasStore: false)
        try scene.shell("mkdir small && mount -t tmpfs -o size=1m tmpfs small")
        defer { _ = try? scene.shell("umount small") }
        try scene.shell("cd small && stet init -q && printf 'v1\\n' > n.md && stet save")
        let large = "import sys; sys.stdout.write('x' * 200000)"
        try scene.shell("cd small && python3 -c \"\(large)\" > n.md && stet save && printf 'v2\\n' > n.md && stet save")
        try scene.shell("cd small && head -c 10m /dev/zero > filler 2>/dev/null; true")
        try scene.shell("cd small && stet restore n.md@2", exits: 6)
        #expect(try scene.shell("cd small && cat n.md && ls -A").text.contains("v2\n"))
        #expect(try scene.shell("cd small && ls -A").lines.sorted() == [".stet", "filler", "n.md"])
        #expect(try scene.shell("cd small && stet list").lines.count == 1)
        try scene.shell("cd small && rm filler && stet restore n.md@2 && stet verify && stet save")
        #expect(try scene.shell("cd small && wc -c < n.md").text == "200000\n")
    }

    @Test(.enabled(if: geteuid() == 0)) func vaultOnAReadOnlyMountCanBeRead() throws {
        let scene = try vault()
        try scene.write("v3\n", to: "n.md")
        try scene.shell("mount --bind . . && mount -o remount,ro,bind .")
        defer { _ = try? CommandRun.run("/bin/umount", [scene.folder], in: "/") }
        // The folder was opened before it was mounted over: each command changes into it anew.
        #expect(try scene.states() == ["n.md": "changed"])
        try scene.stet("history", "n.md")
        try scene.stet("diff", exits: 1)
        for call in [["save"], ["save", "n.md"], ["undo", "n.md"], ["restore", "n.md@1"], ["rename", "n.md", "m"]] {
            let run = try scene.stet(bytes: call.map { Array($0.utf8) }, exits: 6)
            #expect(run.errorLines.count == 1)
        }
        #expect(scene.file("n.md") == "v3\n")
    }

    // B53: what cannot be read is not gone.
    @Test func unreadableFolderIsNotTakenForGone() throws {
        let scene = try vault(asOrdinaryUser: true)
        try scene.write("v1\n", to: "sub/x.md")
        try scene.stet("save")
        for (path, names) in [("sub", ["sub", "sub/x.md"]), ("sub/x.md", ["sub/x.md"])] {
            let mode = try Files.permissions(of: scene.folder + "/" + path)
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: scene.folder + "/" + path)
            defer {
                try? FileManager.default.setAttributes(
                    [.posixPermissions: mode], ofItemAtPath: scene.folder + "/" + path)
            }
            // A file that looks as it did need not be read.
            let states = try scene.states()
            #expect(states.values.allSatisfy { $0 == "skipped" } && Set(states.keys).isSubset(of: names))
            #expect(path != "sub" || states.keys.sorted() == names)
            #expect(!(try scene.stet("save").errors.contains("is gone")))
        }
        try scene.expectVaultSound()
    }

    // B53: a vault that is not there says so, and nothing of its notes.
    @Test func missingVaultIsNotTakenForEmpty() throws {
        let scene = try Scene(hasStore: false)
        try scene.write("v1\n", to: "notes/n.md")
        try scene.shell("stet init notes --store store && stet --store store save && mv notes away")
        for command in ["status", "save", "diff"] {
            let run = try scene.stet("--store", "store", command, exits: 6)
            #expect(run.errorLines.count == 1 && run.errors.contains("is not there"))
        }
        // Its history can be looked into all the same.
        #expect(try scene.stet("--store", "store", "show", "n.md").text == "v1\n")
        #expect(try scene.stet("--store", "store", "history", "n.md").lines.count == 2)
        try scene.stet("--store", "store", "undo", "n.md", exits: 6)
    }
}

/// File systems that can do less than Linux's own.
struct VaultFileSystemTests {
    private func twoVersions(_ scene: Scene) throws {
        for text in ["v1\n", "v2\n"] {
            try scene.write(text, to: "n.md")
            try scene.stet("save")
        }
    }

    // A file system without exchange of names, or without refusal of names that exist, or without hard links as well.
    @Test(arguments: ["renameat2:error=EINVAL", "renameat2:error=ENOSYS -e inject=linkat:error=EPERM"])
    func filesAreReplacedWhereNamesCannotBeExchanged(_ fault: String) throws {
        let scene = try Scene(isVault: true)
        try twoVersions(scene)
        let trace = "strace -f -qq -o /dev/null -e trace=renameat2,linkat -e inject=\(fault)"
        let stet = CommandRun.stet
        try scene.shell("\(trace) \(stet) undo n.md")
        #expect(scene.file("n.md") == "v1\n")
        try scene.write("v3\n", to: "n.md")
        try scene.shell("\(trace) \(stet) restore n.md@2 && \(trace) \(stet) rename n.md m.md")
        #expect(scene.file("m.md") == "v2\n")
        try scene.write("theirs\n", to: "taken")
        try scene.shell("\(trace) \(stet) rename m.md taken", exits: 4)
        try scene.shell("\(trace) \(stet) rm m.md && \(trace) \(stet) undelete m.md")
        #expect(scene.file("m.md") == "v2\n" && scene.file("taken") == "theirs\n")
        try scene.expectVaultSound()
    }

    // A move that the system refuses in the last moment is taken back, and blocks nothing that comes later.
    @Test func moveThatFailsIsTakenBack() throws {
        let scene = try Scene(isVault: true)
        try twoVersions(scene)
        try scene.write("v1\n", to: "sub/x.md")
        try scene.stet("save")
        let trace = "strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:error=EACCES"
        for call in ["rename n.md new/m.md", "rename sub new/sub", "rm n.md"] {
            let run = try scene.shell("\(trace) \(CommandRun.stet) \(call)", exits: 6)
            #expect(run.errorLines.count == 1 && run.errors.contains("stays where it is"), "\(call)")
            #expect(try scene.names() == ["n.md", "sub", "sub/x.md"])
            #expect(try scene.states().isEmpty)
        }
        try scene.stet("rename", "n.md", "new/m.md")
        try scene.expectVaultSound()
    }

    // A text that could not be put in place is tried again, and nothing is lost where the note has gone on.
    @Test func writeThatFailsIsDoneByTheNextChange() throws {
        let scene = try Scene(isVault: true)
        try twoVersions(scene)
        let trace = "strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:error=EIO"
        try scene.shell("\(trace) \(CommandRun.stet) undo n.md", exits: 6)
        #expect(scene.file("n.md") == "v2\n")
        try scene.write("x\n", to: "other.md")
        #expect(try scene.stet("save").text == "other.md@1\n")
        #expect(scene.file("n.md") == "v1\n")
        try scene.stet("redo", "n.md")
        try scene.expectVaultSound()
    }

    // FAT-like: no modes, no links, case not told apart. Where the program that mounts one is there.
    @Test(.enabled(if: geteuid() == 0 && access("/usr/sbin/mount.exfat-fuse", X_OK) == 0))
    func vaultWorksOnAFileSystemThatDoesNotTellCaseApart() throws {
        let scene = try Scene(hasStore: false)
        let mount = """
            truncate -s 16M image && mkfs.exfat image >/dev/null && mkdir fat && device=$(losetup -f --show image) &&
            echo $device > ../device && mount.exfat-fuse $device fat >/dev/null
            """
        guard try scene.shell(mount, exits: nil).status == 0 else { return }
        defer { _ = try? scene.shell("umount fat; losetup -d $(cat ../device)") }
        try scene.shell("stet init fat --store store")
        scene.environment["STET_STORE"] = scene.folder + "/store"
        try scene.shell(
            """
            cd fat; printf 'v1\\n' > n.md; stet save; printf 'v2\\n' > n.md; stet save
            stet undo n.md; stet mv n.md N.md; mkdir sub; stet mv N.md sub/deep/x.md; printf 'v3\\n' > sub/deep/x.md
            stet restore sub/deep/x.md@2; stet mv sub SUB; stet rm SUB/deep/x.md; stet undelete SUB/deep/x.md
            """)
        #expect(try scene.shell("cat fat/SUB/deep/x.md; ls fat").text == "v2\nSUB\n")
        #expect(try scene.shell("cd fat; stet status --json").text == "")
        try scene.expectSound()
    }
}
