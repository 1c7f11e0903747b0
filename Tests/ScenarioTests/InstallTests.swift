import Foundation
import Testing
import TestSupport

/// `tools/install`, and the manual page that it installs.
struct InstallTests {
    private static let places = [
        "bin/stet", "share/bash-completion/completions/stet", "share/zsh/site-functions/_stet",
        "share/fish/vendor_completions.d/stet.fish", "share/man/man1/stet.1",
    ]

    private func install(_ scene: Scene, _ arguments: String = "", variables: String = "") throws -> CommandRun {
        try scene.shell(
            "STET_BINARY=\(Scene.quoted(scene.command)) \(variables) \(Files.project)/tools/install \(arguments)")
    }

    @Test func everythingIsPutWhereItIsLookedFor() throws {
        let scene = try Scene()
        let home = scene.temporary.appending("home")
        let prefix = home + "/.local"
        let run = try install(scene)
        for place in Self.places {
            #expect(run.lines.contains("installed \(prefix)/\(place)"))
            let isProgram = place == "bin/stet"
            #expect(try Files.permissions(of: "\(prefix)/\(place)") == (isProgram ? 0o755 : 0o644))
        }
        #expect(run.text.contains("\(prefix)/bin is not on your PATH"))
        #expect(run.errors == "")
        scene.environment["XDG_DATA_HOME"] = nil
        let found = try scene.shell(
            """
            PATH=\(prefix)/bin:$PATH
            fish -c 'complete -C "stet unp"'
            bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader stet; complete -p stet'
            zsh -fc 'fpath=(\(prefix)/share/zsh/site-functions $fpath); autoload -U compinit; compinit -uD
                echo $_comps[stet]'
            """)
        #expect(found.lines == ["unpin\ttake a pin away", "complete -F _stet stet", "_stet"])
    }

    @Test func whetherItWillBeFoundIsSaid() throws {
        let scene = try Scene()
        let other = scene.temporary.appending("other folder")
        let prefix = Scene.quoted(other)
        #expect(try install(scene, prefix).text.contains("\(other)/bin is not on your PATH"))
        let found = try install(scene, prefix, variables: "PATH=\(prefix)/bin:$PATH")
        #expect(found.text.contains("\(other)/bin is on your PATH: type stet"))
        let hidden = try install(scene, prefix, variables: "PATH=$PATH:\(prefix)/bin")
        #expect(hidden.text.contains("but \(scene.command) comes before it"))
        try scene.shell("\(Files.project)/tools/install --help", exits: 2)
    }

    @Test func olderOneIsReplacedWhileItRuns() throws {
        let scene = try Scene()
        let run = try scene.shell(
            """
            set -e
            export STET_BINARY=\(Scene.quoted(scene.command))
            \(Files.project)/tools/install p > /dev/null
            ls -i p/bin/stet > before
            mkfifo pipe
            p/bin/stet save n - < pipe &
            exec 3> pipe
            \(Files.project)/tools/install p > /dev/null
            ls -i p/bin/stet > after
            if cmp -s before after; then echo same; fi
            echo text >&3
            exec 3>&-
            wait $!
            ls p/bin
            """)
        #expect(run.lines == ["n@1", "stet"])
        #expect(try scene.shown("n") == "text\n")
        try scene.expectSound()
    }

    // MARK: The manual page

    @Test func manualPageIsFreeOfFault() throws {
        let scene = try Scene(hasStore: false)
        let page = try scene.shell("stet manual-page > stet.1 && mandoc -T lint -W all stet.1")
        #expect((page.text, page.errors) == ("", ""))
    }

    @Test func manualPageTellsOfEverythingInTheTable() throws {
        let scene = try Scene(hasStore: false)
        let page = try scene.shell("stet manual-page > stet.1 && mandoc -T utf8 -O width=200 stet.1 | col -b").text
        let sections = page.split(separator: "\n").filter { $0.first?.isLetter == true }.map(String.init)
        #expect(
            sections.dropFirst().dropLast() == [
                "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "NOTES AND VERSIONS", "ENVIRONMENT", "FILES",
                "EXIT STATUS", "EXAMPLES", "SEE ALSO",
            ])
        func words(_ text: some StringProtocol) -> String {
            text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let whole = words(page)
        for line in try scene.stet("help").lines where line.hasPrefix("  ") {
            let command = String(line.split(separator: " ")[0])
            let help = try scene.stet("help", command).lines
            let call = try #require(help.first)
            #expect(whole.contains(words(call)), "\(call)")
            for line in help.dropFirst() where line.hasPrefix("  ") {
                // Options: their names and then, after two blanks, what they do.
                let parts = line.split(separator: "  ", omittingEmptySubsequences: true).map(words)
                let last = parts.last ?? ""
                #expect(
                    whole.contains(last) || whole.contains(last.prefix(1).uppercased() + last.dropFirst()), "\(line)")
            }
        }
    }
}
