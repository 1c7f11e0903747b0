import Stet

/// The manual page stet(1), for tools/install.
let manualPageCommand = Command(
    name: "manual-page", usage: "",
    summary: "print the manual page",
    operands: 0...0,
    examples: [("stet manual-page > stet.1", "for man")]
) { invocation in
    try invocation.output.write(ManualPage.text.utf8)
    return .done
}
