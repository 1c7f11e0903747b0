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

    static let bash = TypedShell(
        "bash", "bash", ["bash", "--rcfile", "FOLDER/bashrc", "-i"], "bashrc",
        "source FOLDER/completion; PS1='READY>'")
    static let bashWithPackage = TypedShell(
        "bash with the package bash-completion", "bash", ["bash", "--rcfile", "FOLDER/bashrc", "-i"], "bashrc",
        "source /usr/share/bash-completion/bash_completion; \(bash.settings)")
    static let zsh = TypedShell(
        "zsh", "zsh", ["zsh", "-i"], ".zshrc",
        "fpath=($ZDOTDIR $fpath); autoload -U compinit; compinit -u -D; PS1='READY>'")
    static let fish = TypedShell(
        "fish", "fish", ["fish", "-i", "-C", "source FOLDER/config"], "config",
        """
        source FOLDER/completion
        set -g fish_greeting
        set -g fish_autosuggestion_enabled 0
        function fish_prompt; echo -n 'READY>'; end
        """)

    static let all = [bash, bashWithPackage, zsh, fish]

    /// Types `keys` at the first prompt, and then `exit`. Returns everything that the terminal was sent.
    func type(_ keys: String, in scene: Scene) throws -> String {
        let folder = scene.temporary.appending("shell")
        try FileManager.default.makeFolder(folder)
        let completion = try scene.stet("completion", script).output
        try Files.overwrite(folder + (script == "zsh" ? "/_stet" : "/completion"), with: completion)
        try Files.overwrite(folder + "/" + settingsFile, with: bytes(settings.replacing("FOLDER", with: folder)))
        scene.environment.merge([
            "ZDOTDIR": folder, "XDG_CONFIG_HOME": folder, "TERM": "xterm", "HISTFILE": "/dev/null",
        ]) { $1 }
        let words = call.map { $0.replacing("FOLDER", with: folder) }
        return try scene.typed(keys + "exit\r", at: words)
    }
}

extension Scene {
    /// Runs a program at a terminal of 24 lines of 100 columns, and types `keys` as soon as it shows `READY>`. Returns
    /// everything that the terminal was sent, when it has ended.
    func typed(_ keys: String, at words: [String]) throws -> String {
        let script = """
            import fcntl, os, pty, select, struct, sys, termios, time
            os.environ["PATH"] = sys.argv[1] + ":" + os.environ["PATH"]
            keys = sys.stdin.buffer.read()
            child, terminal = pty.fork()
            if child == 0:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
                os.execvp(sys.argv[2], sys.argv[2:])
            seen, typed, deadline = b"", False, time.monotonic() + 60
            while time.monotonic() < deadline:
                if not select.select([terminal], [], [], 1)[0]:
                    continue
                try:
                    data = os.read(terminal, 65536)
                except OSError:
                    break
                seen += data
                if not typed and b"READY>" in seen:
                    os.write(terminal, keys)
                    typed = True
            else:
                os.kill(child, 9)
                seen += b" (never ended)"
            sys.stdout.buffer.write(seen)
            """
        let place = URL(fileURLWithPath: command).deletingLastPathComponent().path
        let arguments = ["python3", "-c", script, place] + words
        return try start("/usr/bin/env", arguments.map { Array($0.utf8) }, input: Array(keys.utf8)).wait().text
    }
}
