import Glibc
import Stet

/// The arguments after the program's name, as the bytes they are.
private func commandLine() -> [[UInt8]] {
    let arguments = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return arguments.dropFirst().compactMap { pointer in
        pointer.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
}

/// The output that the options ask for. Options of other commands do not matter here.
private func output(_ arguments: Arguments?) throws -> Output {
    // https://no-color.org
    var colour: Settings.Color? = Surroundings.variable("NO_COLOR") == nil ? nil : .never
    if let wanted = arguments?.value("color") {
        guard let choice = Settings.Color(rawValue: wanted) else {
            throw UsageError("--color takes auto, always or never, not \"\(wanted)\"")
        }
        colour = choice
    }
    return Output(colour: colour, isQuiet: arguments?.has("quiet") ?? false)
}

/// The command that is meant, and its own words: those after its name, and options that stood before it.
private func split(_ words: [[UInt8]]) throws -> (Command?, [[UInt8]]) {
    // The name of the command is the first word that is neither an option nor an option's value.
    var position = 0
    while position < words.count, words[position].first == UInt8(ascii: "-") {
        let text = String(decoding: words[position], as: UTF8.self)
        let options = CommandTable.everywhere + CommandTable.commands.flatMap(\.options)
        let takesValue = options.contains { option in
            option.value != nil && (text == "--" + option.name || option.letter.map { text == "-\($0)" } == true)
        }
        position += takesValue ? 2 : 1
    }
    guard position < words.count else { return (nil, words) }
    var rest = words
    let name = String(decoding: rest.remove(at: position), as: UTF8.self)
    return (try CommandTable.command(name), rest)
}

private func run() -> ExitCode {
    let plain = Output(colour: nil, isQuiet: false)
    do {
        let (named, words) = try split(commandLine())
        let arguments = try Arguments(words, for: named)
        let output = try output(arguments)
        if arguments.has("help") || (named == nil && !arguments.operands.isEmpty) {
            output.page()
            _ = try named.map { try Help.show($0, output) } ?? Help.overview(output)
            try output.finish()
            return .done
        }
        let command = try named ?? CommandTable.command(Help.hasStore(arguments) ? "status" : "help")
        let invocation = Invocation(command, arguments, output)
        guard command.operands.contains(arguments.operands.count) else {
            let problem =
                arguments.operands.count > command.operands.upperBound ? "too many operands" : "an operand is missing"
            throw invocation.usage("\(problem): \(command.call)")
        }
        return run(invocation)
    } catch {
        return plain.report(error)
    }
}

private func run(_ invocation: Invocation) -> ExitCode {
    var code: ExitCode
    if Pager.commands.contains(invocation.command.name), !invocation.isJSON { invocation.output.page() }
    do {
        code = try invocation.command.run(invocation)
        try invocation.output.finish()
    } catch {
        code = invocation.output.report(error)
        try? invocation.output.finish()
    }
    do {
        try invocation.close()
    } catch {
        // What was asked for is done and durable; this was upkeep, and it is tried again next time.
        invocation.output.note("upkeep of the store failed and will be tried again: \(error)")
    }
    return code
}

/// Puts something in the place of standard input, output and error where the caller closed them. Otherwise the next file
/// that is opened takes that number, and what is meant for standard output would be written into the store. Opened the
/// wrong way round, so that using them still fails.
private func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
        _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}

occupyStandardDescriptors()
// A file that grows past the user's limit is an error like a full disk, and no reason to be killed in the middle.
signal(SIGXFSZ, SIG_IGN)
exit(run().rawValue)
