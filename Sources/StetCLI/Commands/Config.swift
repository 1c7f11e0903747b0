import Stet

let configCommand = Command(
    name: "config", usage: "get [KEY] | set KEY VALUE",
    summary: "show or change the store's settings",
    details: """
        vault       the folder of your files: ".." is the one that the store stands in
        color       auto, always or never; --color and NO_COLOR go before it
        pager       auto, or never for no pager
        size-limit  the largest file that counts as a note by itself, as 64M

        The settings stand in the file config in the store's folder, as lines
        "key = value". "get" with a KEY prints its value alone; exit code 1 where it
        has none.
        """,
    operands: 1...3,
    examples: [
        ("stet config get", "every setting"), ("stet config set pager never", "no pager for this store"),
        ("stet config get size-limit", "one value"),
    ]
) { invocation in
    let operands = invocation.arguments.operands.map { String(decoding: $0, as: UTF8.self) }
    switch (operands[0], operands.count) {
    case ("get", 1): return try show(Settings.Key.allCases, invocation)
    case ("get", 2):
        let key = try settingsKey(operands[1])
        if invocation.isJSON { return try show([key], invocation) }
        guard let value = try invocation.store().settings().effectiveValue(of: key) else { return .no }
        try invocation.output.line(TerminalText.escape(value.utf8))
        return .done
    case ("set", 3):
        try set(settingsKey(operands[1]), invocation.arguments.operands[2], invocation)
        return .done
    default: throw invocation.usage("it is \"stet config get [KEY]\" or \"stet config set KEY VALUE\"")
    }
}

private func settingsKey(_ text: String) throws -> Settings.Key {
    if let key = Settings.Key(rawValue: text) { return key }
    let keys = Settings.Key.allCases.map(\.rawValue)
    throw UsageError(
        "there is no setting \"\(text)\" among \(keys.joined(separator: ", "))",
        suggestion: Spelling.nearest(to: text, in: keys), command: "config")
}

private func show(_ keys: [Settings.Key], _ invocation: Invocation) throws -> ExitCode {
    let settings = try invocation.store().settings()
    var code = ExitCode.no
    for key in keys {
        guard let value = settings.effectiveValue(of: key) else { continue }
        code = .done
        if invocation.isJSON {
            var line = JSONLine()
            line.set("key", key.rawValue)
            line.set("value", value)
            try line.write(to: invocation.output)
        } else {
            try invocation.output.line("\(key.rawValue) = \(TerminalText.escape(value.utf8))")
        }
    }
    return code
}

private func set(_ key: Settings.Key, _ value: [UInt8], _ invocation: Invocation) throws {
    // It says where the notes' files are: to change it without looking at them would take every note for gone.
    if key == .vault { throw invocation.usage("the vault is not set by hand: stet init DIR makes one") }
    guard let value = String(validating: value, as: UTF8.self) else {
        throw SettingsError.invalidValue(key, String(decoding: value, as: UTF8.self))
    }
    try invocation.store(.readWrite).changeSettings { try $0.set(key, to: value) }
}
