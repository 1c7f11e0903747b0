import Foundation
import Stet
import Testing
import TestSupport

/// Long output at a terminal goes through a pager, and nothing else does.
struct PagerTests {
    /// A store with a note of 60 versions, one of two, and the two texts that differ in many lines.
    private func makeScene(pager: String? = "./mark") throws -> Scene {
        let scene = try Scene()
        let store = try NoteStore.open(at: scene.store, clock: .system)
        for number in 1...60 { try store.save(bytes("text \(number)\n"), as: NoteName("long")) }
        for number in 1...2 { try store.save(bytes("text \(number)\n"), as: NoteName("short")) }
        for end in ["a", "b"] {
            try store.save(bytes((1...100).map { "line \($0)\(end)\n" }.joined()), as: NoteName("text"))
        }
        try store.close()
        try Files.overwrite(scene.folder + "/mark", with: bytes("#!/bin/sh\nexec sed s/^/paged:/\n"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scene.folder + "/mark")
        scene.environment["TERM"] = "xterm"
        scene.environment["STET_PAGER"] = pager
        return scene
    }

    /// What a shell shows in which `line` is typed, and then asked for its exit code.
    private func shown(_ line: String, _ scene: Scene, keys: [Scene.Keys] = []) throws -> String {
        let last = Scene.Keys("echo code=$?; exit\r")
        return try TypedShell.bash.type([Scene.Keys(line + "\r")] + keys + [last], in: scene)
    }

    @Test func longOutputGoesThroughThePagerWithColourAndExitCode() throws {
        let scene = try makeScene()
        let history = try shown("stet history long", scene)
        #expect(history.contains("paged:\u{1B}[1mlong"))
        #expect(history.contains("paged:* \u{1B}[33m@1\u{1B}[0m"))
        #expect(history.contains("code=0\r"))
        let diff = try shown("stet diff text", scene)
        #expect(diff.contains("paged:\u{1B}[32m+line 100b\u{1B}[0m"))
        #expect(diff.contains("code=1\r"))
        for call in ["stet help", "stet --help", "stet help show"] {
            #expect(try shown(call, scene).contains("paged:"), "\(call)")
        }
        let tall = try shown("stty rows 200; stet history long", scene)
        #expect(!tall.contains("paged:"))
        let narrow = try shown("stty cols 3; stet history short", scene)
        #expect(narrow.contains("paged:"))
        try scene.expectSound()
    }

    @Test func otherOutputDoesNot() throws {
        let scene = try makeScene()
        for call in [
            "stet history short", "stet history long --json", "stet history long | cat", "stet history -n 3 long",
            "stet list", "stet show text", "stet history long > file; cat file", "stet show --help | cat",
        ] {
            let shown = try shown(call, scene)
            #expect(!shown.contains("paged:") && shown.contains("code=0\r"), "\(call)")
        }
    }

    @Test func thePagerComesFromTheEnvironmentAndTheStoreCanOnlyForbidIt() throws {
        let scene = try makeScene(pager: nil)
        func isPaged(_ variables: String) throws -> Bool {
            let shown = try shown("\(variables) stet history long", scene)
            #expect(shown.contains("text") || shown.contains("@60"), "\(variables)")
            return shown.contains("paged:")
        }
        #expect(try isPaged("PAGER=./mark"))
        #expect(try isPaged("PAGER=cat STET_PAGER=./mark"))
        #expect(try isPaged("STET_PAGER='x=mark; ./$x | cat'"))
        #expect(try !isPaged("PAGER=./mark STET_PAGER=cat"))
        #expect(try !isPaged("PAGER=./mark STET_PAGER="))
        #expect(try !isPaged("PAGER=cat"))
        #expect(try !isPaged("TERM=dumb PAGER=./mark"))
        try scene.stet("config", "set", "pager", "never")
        #expect(try !isPaged("PAGER=./mark"))
        try Files.overwrite(scene.store + "/config", with: bytes("pager = ./mark\n"))
        #expect(try shown("stet history long", scene).contains("makes no sense"))
    }

    @Test func lessIsTheUsualPagerAndCanBeQuitEarly() throws {
        let scene = try makeScene(pager: nil)
        for (call, code) in [("stet history long", 0), ("stet diff text", 1)] {
            let first = call.hasSuffix("long") ? "@60" : "line 1a"
            let shown = try shown(call, scene, keys: [.init(after: first, "q")])
            #expect(shown.contains("\u{1B}[3"), "\(call)")
            #expect(!shown.contains("@1\u{1B}") && !shown.contains("+line 100b"), "\(call)")
            #expect(shown.contains("code=\(code)\r") && !shown.contains("stet: "), "\(call)")
        }
        let options = try shown("STET_PAGER='echo LESS=$LESS; cat' stet history long", scene)
        #expect(options.contains("LESS=FRX"))
        let own = try shown("LESS=S STET_PAGER='echo LESS=$LESS; cat' stet history long", scene)
        #expect(own.contains("LESS=S\r"))
    }

    @Test func readerThatLeavesAFullPipeEndsNothingBadly() throws {
        let scene = try makeScene(pager: "head -n 1")
        let store = try NoteStore.open(at: scene.store, clock: .system)
        let (old, new) = ((1...40_000).map { "\($0)a\n" }.joined(), (1...40_000).map { "\($0)b\n" }.joined())
        for text in [old, new] { try store.save(bytes(text), as: NoteName("text")) }
        try store.close()
        let shown = try shown("stet diff text", scene)
        #expect(shown.contains("--- a/text") && !shown.contains("+++ b/text"))
        #expect(shown.contains("code=1\r") && !shown.contains("stet: "))
    }

    @Test func pagerThatIsNotThereIsDoneWithout() throws {
        let scene = try makeScene(pager: nil)
        for pager in ["no-such-pager -R", "/no/such/pager"] {
            let shown = try shown("STET_PAGER='\(pager)' stet history long", scene)
            #expect(shown.contains("stet: there is no pager \(pager): shown without one\r\n"))
            #expect(shown.contains("@60") && shown.contains("@1\u{1B}") && shown.contains("code=0\r"))
        }
        let quiet = try shown("PATH=/none \(scene.command) history long", scene)
        #expect(quiet.contains("@1\u{1B}") && !quiet.contains("stet: ") && quiet.contains("code=0\r"))
    }

    // Ctrl-C reaches the pager and the command; the command must not be gone before the pager is, or the shell would read
    // from the same terminal.
    @Test func interruptEndsTheCommandAndNotThePager() throws {
        let scene = try makeScene(pager: "./patient")
        let pager = """
            #!/bin/sh
            trap 'went=on; echo went on' INT
            wc -l
            # To wait in read itself would miss a signal that comes just before it.
            while [ -z "$went" ]; do sleep 0.05; done
            read -r answer < /dev/tty
            echo "answer=$answer"
            """
        try Files.overwrite(scene.folder + "/patient", with: bytes(pager))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scene.folder + "/patient")
        let shown = try shown(
            "stet history long", scene,
            keys: [.init(after: "61\r", "\u{03}"), .init(after: "went on", "fine\r"), .init(after: "answer=fine", "")])
        #expect(shown.contains("answer=fine\r"))
        #expect(shown.contains("code=130\r"))
    }

    @Test func whatIsToldOnTheWayStandsInItsPlace() throws {
        let scene = try makeScene()
        try scene.stet("rename", "long", "longer")
        let shown = try shown("stet history long", scene)
        #expect(shown.contains("paged:stet: long means the note that is now called longer"))
        let apart = try self.shown("stet history long 2> file; cat file", scene)
        #expect(apart.contains("paged:") && apart.contains("\nstet: long means"))
    }
}
