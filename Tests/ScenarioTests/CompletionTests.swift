import Foundation
import Stet
import Testing
import TestSupport

/// Completion, in the shells themselves.
struct CompletionTests {
    /// Names that a shell would do something with if they were not quoted.
    static let hostileNames = [
        "$(touch x)", "`touch x`", "it's", "a \"b\" c", "two words", "-dash", "中文 笔记.md", "a;touch x", "a&b|c",
        "<(touch x)", ">(touch x)", "=(touch x)", "star*?[a]", "back\\slash", "~tilde", "@at", "stet:abc123", "a:b",
        "a=b", "a@b", "!bang", "#hash", "{x,y}", "$HOME", "${IFS}", "end ", "'; touch x; '", "\"; touch x; \"", "=ls",
        "%1", "$'\\n'", "^a^b", "e\u{301}.md", "(a)", "--help",
    ]

    private static let quotes = ["", "\"", "'"]

    @Test(arguments: TypedShell.all, quotes)
    func everyNameBecomesAWordThatMeansIt(_ shell: TypedShell, _ quote: String) throws {
        let scene = try Scene()
        let store = try NoteStore.open(at: scene.store, clock: .system)
        var keys = ""
        for (number, name) in Self.hostileNames.enumerated() {
            try store.save(bytes("text \(number) of it\n"), as: NoteName("\(number)/\(name)"))
            keys += "stet show \(quote)\(number)/\t\r"
        }
        try store.close()
        let shown = try shell.type(keys, in: scene)
        for (number, name) in Self.hostileNames.enumerated() {
            #expect(shown.contains("text \(number) of it\r\n"), "\(name)")
        }
        #expect(try Files.list(scene.folder).isEmpty)
        try scene.expectSound()
    }

    @Test(arguments: TypedShell.all)
    func nameThatBeginsLikeSomethingElseIsCompletedAsAPath(_ shell: TypedShell) throws {
        let scene = try Scene()
        let names = ["-dash", "~tilde", "@at", "stet:abc123"]
        var keys = ""
        for (number, name) in names.enumerated() {
            try scene.save("text \(number) of it\n", as: "./" + name)
            keys += "stet show ./\(name.prefix(2))\t\r"
        }
        let shown = try shell.type(keys, in: scene)
        for number in names.indices { #expect(shown.contains("text \(number) of it\r\n"), "\(names[number])") }
    }

    @Test(arguments: TypedShell.all)
    func commandsOptionsAndValuesAreCompleted(_ shell: TypedShell) throws {
        let scene = try Scene()
        try scene.save("first\n", "second\n", as: "work/plan.md")
        try scene.save("other\n", as: "a:b=c@d e")
        let shown = try shell.type(
            """
            stet sho\tw\tp\t--lin\t1\r\
            stet show a:\t\r\
            stet show a:b=\t\r\
            stet show a:b=c@\t\r\
            stet show a:b=c@d\\ \t\r\
            stet help unp\t\r\
            stet comple\tfi\t | head -n 1\r\
            stet config get siz\t\r\
            stet -q --color=ne\thist\twork/pl\t\r\
            stet --store=../data/st\t\t  config get pag\t\r\
            stet list --colo\talw\t\r
            """, in: scene)
        #expect(shown.contains("second\r\n"))
        #expect(shown.ranges(of: "other\r\n").count == 4)
        #expect(shown.contains("Take a pin away."))
        #expect(shown.contains("# fish completion for stet, printed by"))
        #expect(shown.contains("64M\r\n"))
        #expect(shown.contains("* @2 "))
        #expect(shown.contains("\u{1B}[33m@2\u{1B}[0m"))
        try scene.expectSound()
    }

    // MARK: What is offered

    /// What is offered for the end of `line`, as the shell's own functions tell it, without their quotes.
    private func offered(_ line: String, _ shell: TypedShell, _ scene: Scene) throws -> [String] {
        let script = scene.temporary.appending("completion")
        try Files.overwrite(script, with: scene.stet("completion", shell.script).output)
        let line = Scene.quoted(line)
        let call =
            shell.script == "bash"
            ? ". \(script); COMP_LINE=\(line); COMP_POINT=${#COMP_LINE}; _stet; eval \"printf '%s\\n' ${COMPREPLY[*]}\""
            : "source \(script); complete -C \(line)"
        let run = try scene.shell("\(shell.script) -c \(Scene.quoted(call))")
        #expect(run.errors == "")
        return run.lines.map { $0.split(separator: "\t")[0].description }.sorted()
    }

    @Test(arguments: [TypedShell.bash, .fish])
    func notesAreOfferedAFolderAtATime(_ shell: TypedShell) throws {
        let scene = try Scene()
        for name in [
            "./-x", "todo.md", "work.md", "work/a.md", "work/sub/b.md", "work/sub/c.md", "gone.md", "gone/too.md",
        ] {
            try scene.save("v1\n", as: name)
        }
        try scene.stet("rm", "gone.md", "gone")
        // To fish whatever begins with a point is hidden until one is typed.
        let dashed = shell.script == "fish" ? [] : ["./-x"]
        #expect(try offered("stet show ", shell, scene) == dashed + ["todo.md", "work.md", "work/"])
        #expect(try offered("stet show ./-", shell, scene) == ["./-x"])
        #expect(try offered("stet log wo", shell, scene) == ["work.md", "work/"])
        #expect(try offered("stet rm todo.md work/", shell, scene) == ["work/a.md", "work/sub/"])
        #expect(try offered("stet diff todo.md ./work/sub/", shell, scene) == ["./work/sub/b.md", "./work/sub/c.md"])
        #expect(try offered("stet undelete ", shell, scene) == ["gone.md", "gone/"])
        #expect(try offered("stet undelete work", shell, scene) == [])
        #expect(try offered("stet show todo.md ", shell, scene) == [])
        #expect(try offered("stet label todo.md ", shell, scene) == [])
        #expect(try offered("stet show -- w", shell, scene) == ["work.md", "work/"])
        try scene.expectSound()
    }

    @Test(arguments: [TypedShell.bash, .fish])
    func filesAreOfferedWhereTheyCanBeMeant(_ shell: TypedShell) throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "note.md")
        try FileManager.default.makeFolder(scene.folder + "/new folder")
        try Files.overwrite(scene.folder + "/new.md", with: [])
        #expect(try offered("stet save ", shell, scene) == ["new folder/", "new.md", "note.md"])
        #expect(try offered("stet mv n", shell, scene) == ["note.md"])
        #expect(try offered("stet mv note.md n", shell, scene) == ["new folder/", "new.md", "note.md"])
        #expect(try offered("stet restore note.md --to n", shell, scene) == ["new folder/", "new.md"])
        #expect(try offered("stet init n", shell, scene) == ["new folder/"])
        #expect(try offered("stet --store n", shell, scene) == ["new folder/"])
    }

    @Test(arguments: [TypedShell.bash, .fish])
    func commandsAndOptionsAreOffered(_ shell: TypedShell) throws {
        let scene = try Scene()
        let commands = try scene.stet("help").lines.filter { $0.hasPrefix("  ") }.map {
            $0.split(separator: " ")[0].description
        }
        #expect(try offered("stet ", shell, scene) == (commands + ["log", "cat", "mv"]).sorted())
        #expect(try offered("stet --json -q ver", shell, scene) == ["verify", "version"])
        #expect(try offered("stet help ", shell, scene) == commands.sorted())
        #expect(try offered("stet completion ", shell, scene) == ["bash", "fish", "zsh"])
        #expect(try offered("stet config ", shell, scene) == ["get", "set"])
        #expect(try offered("stet config set ", shell, scene) == ["color", "pager", "size-limit", "vault"])
        #expect(try offered("stet undo n --s", shell, scene) == ["--steps", "--store"])
        #expect(try offered("stet redo --", shell, scene).contains("--quick") == false)
        #expect(try offered("stet show -- --", shell, scene) == [])
        #expect(try offered("stet list --color ", shell, scene) == ["always", "auto", "never"])
        #expect(try offered("stet undo -n ", shell, scene) == [])
    }

    @Test(arguments: [TypedShell.bash, .fish])
    func namesComeFromTheStoreThatTheLineNames(_ shell: TypedShell) throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "usual")
        try scene.stet("init", "--bare", "an other")
        try scene.stet("save", "special", "-", "--store", "an other", input: "x")
        #expect(try offered("stet show ", shell, scene) == ["usual"])
        #expect(try offered("stet --store 'an other' show ", shell, scene) == ["special"])
        #expect(try offered("stet show --store=an\\ other ", shell, scene) == ["special"])
        #expect(try offered("stet --store none show ", shell, scene) == [])
    }

    @Test func bashTellsTheSameFromWordsAlone() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "two words")
        let run = try scene.shell(
            """
            bash -uc 'eval "$(stet completion bash)"; COMP_WORDS=(stet --color never show two); COMP_CWORD=4; _stet
            printf "%s\\n" "${COMPREPLY[@]}"'
            """)
        #expect((run.text, run.errors) == ("two\\ words\n", ""))
    }

    // MARK: The names of notes

    @Test func inAVaultNamesAreRelativeToTheWorkingFolder() throws {
        let scene = try Scene(hasStore: false)
        let root = scene.folder
        let outside = scene.temporary.appending("home")
        for name in ["todo.md", "work/plan.md", "work/sub/b.md", "play/c.md"] {
            try scene.write("v1\n", to: name)
        }
        try scene.stet("init")
        try scene.stet("save")
        func names(_ typed: String, in folder: String) throws -> [String] {
            try scene.shell(
                "cd \(Scene.quoted(folder)) && stet note-names show --store \(root)/.stet -- \(Scene.quoted(typed))"
            ).lines
        }
        #expect(try names("", in: root) == ["play/", "todo.md", "work/"])
        #expect(try names("", in: root + "/work") == ["plan.md", "sub/"])
        #expect(try names("../", in: root + "/work") == ["../play/", "../todo.md", "../work/"])
        #expect(try names("./s", in: root + "/work") == ["./sub/"])
        #expect(try names("../../play/", in: root + "/work/sub") == ["../../play/c.md"])
        #expect(try names(root + "/wor", in: outside) == [root + "/work/"])
        #expect(try names("../../", in: root) == [])
        #expect(try names("/", in: root) == [])
        // Where no path has that name, it is one from the vault's folder.
        #expect(try names("play/", in: root + "/work") == ["play/c.md"])
        #expect(try names("", in: outside) == ["play/", "todo.md", "work/"])
    }

    @Test func nothingIsSaidWhereNoNamesCanBeFound() throws {
        let scene = try Scene()
        try scene.save("v1\n", as: "n")
        func expectNothing(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
            let run = try scene.stet(
                bytes: (["note-names", "show", ""] + words).map { Array($0.utf8) }, sourceLocation: sourceLocation)
            #expect((run.text, run.errors) == ("", ""), sourceLocation: sourceLocation)
        }
        try expectNothing("--store", "none")
        try expectNothing("--store", "")
        try Files.overwrite(scene.store + "/config", with: bytes("nonsense\n"))
        try expectNothing()
        try Files.overwrite(scene.store + "/config", with: bytes("vault = /none\n"))
        try expectNothing("--store", scene.store)
        try Files.remove(scene.store + "/config")
        try scene.sqlite("DROP TABLE note")
        try expectNothing()
    }

    @Test func nameThatNoNoteCanHaveIsNotOffered() throws {
        let scene = try Scene()
        for name in ["one", "two", "three"] { try scene.save("v1\n", as: name) }
        try scene.sqlite(
            """
            UPDATE note SET name = CAST('a' || char(10) || '$(touch x)' AS BLOB) WHERE name = CAST('one' AS BLOB);
            UPDATE note SET name = x'FF61' WHERE name = CAST('two' AS BLOB);
            """)
        #expect(try scene.stet("note-names", "show", "").text == "three\n")
    }

    @Test func commandsForScriptsAreToldOfNowhere() throws {
        let scene = try Scene()
        for command in ["note-names", "manual-page"] {
            for shell in ["bash", "zsh", "fish"] {
                let lines = try scene.stet("completion", shell).lines.filter { $0.contains(command) }
                #expect(lines.allSatisfy { $0.contains("command stet \(command)") })
            }
            #expect(try !scene.stet("help").text.contains(command))
            #expect(try !scene.stet(String(command.dropLast()), exits: 2).errors.contains(command))
        }
    }
}
