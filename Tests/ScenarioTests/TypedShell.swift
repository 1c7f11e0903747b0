import Foundation
import Testing
import TestSupport

/// A real shell at a real terminal, in which somebody types.
struct TypedShell: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The shell's program and arguments; `FOLDER` stands for the folder of its settings, here and in those.
    private let call: [String]
    /// Its file of settings, and what that says before the prompt is set.
    private let (settingsFile, settings): (String, String)
    /// Which of the completion scripts is its own.
    let script: String

    private init(_ name: String, _ script: String, _ call: [String], _ settingsFile: String, _ settings: String) {
        (testDescription, self.script, self.call) = (name, script, call)
        (self.settingsFile, self.settings) = (settingsFile, settings)
    }

    /// What every shell shows when it waits for a line.
    static let prompt = "READY>"

    static let bash = TypedShell(
        "bash", "bash", ["bash", "--rcfile", "FOLDER/bashrc", "-i"], "bashrc",
        "source FOLDER/completion; PS1='\(prompt)'")
    static let bashWithPackage = TypedShell(
        "bash with the package bash-completion", "bash", ["bash", "--rcfile", "FOLDER/bashrc", "-i"], "bashrc",
        "source /usr/share/bash-completion/bash_completion; \(bash.settings)")
    static let zsh = TypedShell(
        "zsh", "zsh", ["zsh", "-i"], ".zshrc",
        "fpath=($ZDOTDIR $fpath); autoload -U compinit; compinit -u -D; PS1='\(prompt)'")
    static let fish = TypedShell(
        "fish", "fish", ["fish", "-i", "-C", "source FOLDER/config"], "config",
        """
        source FOLDER/completion
        set -g fish_greeting
        set -g fish_autosuggestion_enabled 0
        function fish_prompt; echo -n '\(prompt)'; end
        """)

    static let all = [bash, bashWithPackage, zsh, fish]

    /// Types `keys` at the first prompt, and then `exit`. Returns everything that the terminal was sent.
    func type(_ keys: String, in scene: Scene) throws -> String {
        try type([Scene.Keys(keys + "exit\r")], in: scene)
    }

    /// Types, which is to end the shell. Returns everything that the terminal was sent.
    func type(_ steps: [Scene.Keys], in scene: Scene) throws -> String {
        let folder = scene.temporary.appending("shell")
        try FileManager.default.makeFolder(folder)
        let completion = try scene.stet("completion", script).output
        try Files.overwrite(folder + (script == "zsh" ? "/_stet" : "/completion"), with: completion)
        try Files.overwrite(folder + "/" + settingsFile, with: bytes(settings.replacing("FOLDER", with: folder)))
        scene.environment.merge([
            "ZDOTDIR": folder, "XDG_CONFIG_HOME": folder, "TERM": "xterm", "HISTFILE": "/dev/null",
        ]) { $1 }
        let words = call.map { $0.replacing("FOLDER", with: folder) }
        return try scene.typed(steps, at: words)
    }
}

extension Scene {
    /// What is typed as soon as the terminal has shown something.
    struct Keys: Codable {
        let after: String
        let keys: String

        init(after: String = TypedShell.prompt, _ keys: String) { (self.after, self.keys) = (after, keys) }
    }

    /// Runs a program at a terminal of 24 lines of 100 columns, and types. Returns everything that the terminal was sent,
    /// when the program has ended.
    func typed(_ steps: [Keys], at words: [String]) throws -> String {
        let script = """
            import fcntl, json, os, pty, select, signal, struct, sys, termios, time
            os.environ["PATH"] = sys.argv[1] + ":" + os.environ["PATH"]
            steps = json.load(sys.stdin)
            child, terminal = pty.fork()
            if child == 0:
                signal.signal(signal.SIGPIPE, signal.SIG_DFL)
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
                os.execvp(sys.argv[2], sys.argv[2:])
            seen, done, deadline = b"", 0, time.monotonic() + 30
            while time.monotonic() < deadline:
                if not select.select([terminal], [], [], 1)[0]:
                    continue
                try:
                    seen += os.read(terminal, 65536)
                except OSError:
                    break
                while steps and (place := seen.find(steps[0]["after"].encode(), done)) >= 0:
                    done = place + 1
                    os.write(terminal, steps.pop(0)["keys"].encode())
            else:
                os.kill(child, 9)
                seen += b" (never ended)"
            sys.stdout.buffer.write(seen)
            """
        let place = URL(fileURLWithPath: command).deletingLastPathComponent().path
        let arguments = ["python3", "-c", script, place] + words
        return try start(
            "/usr/bin/env", arguments.map { Array($0.utf8) }, input: Array(JSONEncoder().encode(steps))
        ).wait().text
    }
}
