import Foundation
import Testing
import TestSupport

/// Cases of names and bytes, in a vault.
struct VaultNameTests {
    // B16 and B17: two spellings of one name are two files and two notes, whatever is done with one of them.
    @Test func composedAndDecomposedNamesAreTwoNotes() throws {
        let scene = try Scene(isVault: true)
        let (composed, decomposed) = ("caf\u{E9}.md", "cafe\u{301}.md")
        try scene.write("content A\n", to: composed)
        try scene.write("content B\n", to: decomposed)
        #expect(try scene.json("save").count == 2)
        try scene.write("v3\n", to: composed)
        try scene.stet("save")
        try scene.stet("undo", composed)
        #expect(scene.file(composed) == "content A\n" && scene.file(decomposed) == "content B\n")
        try scene.stet("rename", composed, "other.md")
        #expect(scene.file("other.md") == "content A\n" && scene.file(decomposed) == "content B\n")
        let onDisk = try FileManager.default.contentsOfDirectory(atPath: scene.folder).map { Array($0.utf8) }
        #expect(onDisk.contains(Array(decomposed.utf8)) && !onDisk.contains(Array(composed.utf8)))
        // A spelling that no note has is not taken for the other one by what changes something.
        try scene.stet("undo", composed, exits: 3)
        try scene.expectVaultSound()
    }

    @Test func namesThatDifferInCaseAreTwoNotes() throws {
        let scene = try Scene(isVault: true)
        for name in ["Note.md", "note.md", "NOTE.md"] { try scene.write(name, to: name) }
        #expect(try scene.json("save").count == 3)
        try scene.stet("rename", "note.md", "nOte.md")
        try scene.stet("rename", "Note.md", "note.md")
        try scene.stet("rename", "note.md", "NOTE.md", exits: 4)
        #expect(scene.file("nOte.md") == "note.md" && scene.file("note.md") == "Note.md")
        #expect(scene.file("NOTE.md") == "NOTE.md")
        try scene.expectVaultSound()
    }

    // B21: names that begin with a dash are notes like others.
    @Test func namesThatBeginWithADashAreNotes() throws {
        let scene = try Scene(isVault: true)
        for name in ["-INBOX-.md", "--help", "-n", "-"] { try scene.write("v1\n", to: name) }
        #expect(try scene.json("save").count == 4)
        try scene.write("v2\n", to: "-INBOX-.md")
        #expect(try scene.stet("save", "--", "-INBOX-.md").text == "-INBOX-.md@2\n")
        #expect(try scene.stet("rename", "--", "-INBOX-.md", "--json").text == "-INBOX-.md -> --json\n")
        #expect(try scene.stet("history", "--", "--help").text.hasPrefix("--help  stet:"))
        try scene.stet("undo", "./--json")
        #expect(scene.file("--json") == "v1\n")
        #expect(try scene.stet("save", "./-").text == "-@1\n")
        try scene.expectVaultSound()
    }

    // B22: names as long as the file system takes are notes; longer ones are refused before anything is recorded.
    @Test func namesOfTheGreatestLengthAreNotes() throws {
        let scene = try Scene(isVault: true)
        let han = String(repeating: "漢", count: 84)
        try scene.write("v1\n", to: han + ".md")
        try scene.stet("save")
        try scene.write("v2\n", to: han + ".md")
        try scene.stet("save", han + ".md")
        try scene.stet("undo", han + ".md")
        #expect(scene.file(han + ".md") == "v1\n")
        try scene.stet("rename", han + ".md", han + "漢.md", exits: 2)
        try scene.stet("save", han + "字.md", "-", input: "v1\n", exits: 2)
        try scene.stet("rename", han + ".md", "deep/" + String(repeating: "d/", count: 1000) + "n.md")
        try scene.stet("undelete", "deep", exits: 3)
        #expect(try scene.json("list").count == 1)
        try scene.expectSound()
    }

    // B23: no operand leads out of the vault, and nothing outside it is read or written.
    @Test func operandsThatLeaveTheVaultAreRefused() throws {
        let scene = try Scene(isVault: true)
        try scene.write("v1\n", to: "n.md")
        try scene.write("v1\n", to: "sub/x.md")
        try scene.stet("save")
        let outside = scene.temporary.appending("outside.md")
        try Files.overwrite(outside, with: bytes("theirs\n"))
        for operand in ["../outside.md", "sub/../../outside.md", outside, "..", "/", "", "../../../../../../x", "a\nb"]
        {
            for call in [["save", operand], ["save", operand, "-"], ["rename", "n.md", operand], ["undo", operand]] {
                try scene.stet(bytes: call.map { Array($0.utf8) }, input: bytes("evil"), exits: 2)
            }
        }
        #expect(try Files.bytes(at: outside) == bytes("theirs\n"))
        #expect(try scene.stet("save", scene.folder + "/n.md").text == "n.md@1\n")
        #expect(try scene.stet("save", "sub/../n.md").text == "n.md@1\n")
        for name in ["..foo", "a\\..\\b", "..."] {
            try scene.write("v1\n", to: name)
            try scene.stet("save", name)
            try scene.stet("save", name, "-", input: "v2\n")
            try scene.stet("undo", name)
            #expect(scene.file(name) == "v1\n")
        }
        try scene.expectVaultSound()
    }

    // An operand is a path from the working folder, and else a name from the vault's, as Stet prints it.
    @Test func operandsArePathsFromTheWorkingFolder() throws {
        let scene = try Scene(isVault: true)
        for name in ["n.md", "sub/n.md", "sub/only.md", "top.md"] { try scene.write("v1\n", to: name) }
        try scene.stet("save")
        let shown = try scene.shell(
            """
            cd sub; stet save n.md; stet save ../n.md; stet save only.md; stet save sub/only.md; stet save top.md
            echo v2 > new.md; stet save; stet save .; stet mv new.md ..; stet mv ../new.md .; stet rm sub/new.md; ls
            """)
        #expect(
            shown.lines == [
                "sub/n.md@1", "n.md@1", "sub/only.md@1", "sub/only.md@1", "top.md@1", "sub/new.md@1",
                "sub/new.md -> new.md",
                "new.md -> sub/new.md", "deleted sub/new.md, which showed @1", "n.md", "only.md",
            ])
        try scene.expectVaultSound()
    }

    // B20 and B25: names that are not UTF-8 or hold control characters are told once, escaped, and never as gone.
    @Test func fileOfAnImpossibleNameIsSkippedAndEscaped() throws {
        let scene = try Scene(isVault: true)
        try scene.write("v1\n", to: "good.md")
        try scene.shell(#"printf x > "$(printf 'bad\377\376.md')"; printf x > "$(printf 'x\033[2Jy\n.md')""#)
        for _ in 0..<2 {
            let save = try scene.stet("save")
            #expect(save.errorLines.count == 2 && !save.errorBytes.contains(0x1B))
            #expect(save.errors.contains("bad\\xFF\\xFE.md") && !save.errors.contains("gone"))
            let terminal = try scene.terminal("status")
            #expect(
                !terminal.contains { $0 == 0x1B } || !String(decoding: terminal, as: UTF8.self).contains("\u{1B}[2J"))
        }
        #expect(try scene.states().values.filter { $0 == "skipped" }.count == 2)
        #expect(try scene.json("list").count == 1)
        try scene.expectSound()
    }

    // B20: what stands in a file reaches no terminal as it is, in diff and status.
    @Test func textOfAFileIsHarmlessOnATerminal() throws {
        let scene = try Scene(isVault: true)
        try scene.write("a\u{1B}]0;t\u{7}b\n", to: "n.md")
        for command in [["diff"], ["diff", "n.md"], ["save"], ["show", "n.md"]] {
            let shown = try scene.terminal(command + ["--color=never"])
            #expect(!shown.contains(0x07) && !shown.contains(0x1B), "\(command)")
        }
        try scene.expectVaultSound()
    }

    // B26, B32, B34: the bytes of a file are recorded and put back as they are.
    @Test(arguments: [
        [0x61, 0x0D, 0x0A, 0x62, 0x0D, 0x0A], [0xEF, 0xBB, 0xBF, 0x61, 0x0A], [0x63, 0x61, 0x66, 0xE9, 0x0A],
        [0x6E, 0x00, 0x6F, 0x00, 0x0A, 0x00], [0xFF, 0xFE, 0x6E, 0x00, 0x0A, 0x00], [0x61, 0x00, 0x62, 0x0A], [],
        [0x61, 0x0A, 0x62], [0xC4, 0xE3, 0xBA, 0xC3],
    ])
    func bytesOfAFileComeBackAsTheyWere(_ text: [Int]) throws {
        let scene = try Scene(isVault: true)
        let text = text.map { UInt8($0) }
        try scene.write(text, to: "n.txt")
        // One that is no text by its bytes is taken where it is named.
        try scene.stet("save", "n.txt")
        try scene.write("other\n", to: "n.txt")
        try scene.stet("save")
        for call in [["undo", "n.txt"], ["redo", "n.txt"], ["restore", "n.txt@1"]] {
            try scene.stet(bytes: call.map { Array($0.utf8) })
            let wanted = call[0] == "redo" ? bytes("other\n") : text
            #expect(try Files.bytes(at: scene.folder + "/n.txt") == wanted)
        }
        try scene.expectVaultSound()
    }

    // B32: a mark that is gone or new is a difference.
    @Test func byteOrderMarkIsADifference() throws {
        let scene = try Scene(isVault: true)
        try scene.write([0xEF, 0xBB, 0xBF, 0x61, 0x0A], to: "n.txt")
        try scene.stet("save")
        try scene.write("a\n", to: "n.txt")
        let diff = try scene.stet("diff", exits: 1)
        #expect(diff.lines.filter { $0.hasPrefix("-") || $0.hasPrefix("+") }.count == 4)
        try scene.expectSound()
    }

    // The diff of everything that is not saved, taken by patch, gives what is on the disk.
    @Test func diffOfAllIsTakenByPatch() throws {
        let scene = try Scene(isVault: true)
        for name in ["a.md", "sub/b c.md", "gone.md"] { try scene.write("one\ntwo\n", to: name) }
        try scene.stet("save")
        #expect(try scene.stet("diff").text == "")
        try scene.shell("cp -r . ../before")
        try scene.write("one\n2\n", to: "a.md")
        try scene.write("zero\none\ntwo", to: "sub/b c.md")
        try scene.write("new\n", to: "new/c.md")
        try Files.remove(scene.folder + "/gone.md")
        try scene.stet("diff", exits: 1)
        try scene.shell("stet diff > ../all.diff; cd ../before && patch -p1 -s < ../all.diff")
        try scene.shell("diff -r -x .stet . ../before")
    }
}

/// Which files are notes.
struct VaultScanTests {
    @Test func onlyTextsOfTheUsersOwnAreTaken() throws {
        let scene = try Scene(isVault: true)
        let taken = ["a.md", "no ending", "notes.markdown", "a~b.md", "conflict (copy).md", "#1 idea.md", "sed.txt"]
        let temporary = ["a.md~", "a.swp", "#a.md#", "4913", "x.tmp", "~$letter.docx", "big.part"]
        let hidden = [".hidden.md", ".git/config", ".a.md.swp"]
        for name in taken + temporary + hidden { try scene.write("text\n", to: name) }
        try scene.write([0x61, 0x00], to: "binary.md")
        #expect(try scene.json("save").compactMap { $0["name"] as? String }.sorted() == taken.sorted())
        let reasons = try scene.json("status").compactMap { line in
            (line["name"] as? String).map { name in (name, line["reason"] as? String ?? "") }
        }
        let byName = Dictionary(uniqueKeysWithValues: reasons)
        #expect(temporary.allSatisfy { byName[$0] == "a temporary file" })
        #expect([".hidden.md", ".git", ".a.md.swp"].allSatisfy { byName[$0] == "hidden" })
        #expect(byName["binary.md"] == "not text")
        // A named file is always taken, and from then on it is a note.
        for name in [".hidden.md", "binary.md", "a.md~"] {
            #expect(try scene.stet("save", name).text == "\(name)@1\n")
            try scene.write("changed\n", to: name)
        }
        #expect(try scene.json("save").count == 3)
        try scene.expectVaultSound()
    }

    @Test func sizeOfWhatIsTakenHasALimit() throws {
        let scene = try Scene(isVault: true)
        try scene.shell("head -c 70000000 /dev/zero | tr '\\0' x > large.md")
        #expect(try scene.states() == ["large.md": "skipped"])
        #expect(try scene.stet("save").text == "")
        #expect(try scene.stet("save", "large.md").text == "large.md@1\n")
        #expect(try scene.states().isEmpty)
        try scene.expectVaultSound()
    }

    @Test func manyFilesInManyFoldersAreAllFound() throws {
        let scene = try Scene(isVault: true)
        try scene.shell(
            """
            for i in $(seq 30); do mkdir -p d$i/e/f; echo $i > d$i/n.md; echo $i > d$i/e/f/n.md; done
            mkdir flat; for i in $(seq 900); do echo $i > flat/$i.md; done
            """)
        #expect(try scene.json("save").count == 960)
        #expect(try scene.states().isEmpty)
        try scene.shell("echo x >> flat/700.md; echo x >> d7/e/f/n.md; rm flat/3.md; echo new > d3/e/new.md")
        #expect(
            try scene.states() == [
                "flat/700.md": "changed", "d7/e/f/n.md": "changed", "flat/3.md": "gone", "d3/e/new.md": "new",
            ])
        #expect(try scene.stet("save", "d3", "d7").lines == ["d3/e/new.md@1", "d7/e/f/n.md@2"])
        #expect(try scene.states().count == 2)
    }
}
