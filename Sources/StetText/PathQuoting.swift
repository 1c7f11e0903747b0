/// A file name as it stands in a header line of a unified diff.
///
/// A plain name stands as it is. One that holds a control character, `"` or `\` is put in double quotes with C
/// escapes, as git does with `core.quotePath` off (`quote_c_style` in git's quote.c); GNU patch and git apply both
/// read that. Bytes above 0x7F stay as they are, so that names in UTF-8 remain readable. Beyond git, an empty name and
/// one that begins or ends with a space are quoted too, because GNU patch would strip the spaces.
///
/// A name that holds a space is followed by a tab, as in git: it tells patch that the name goes on after the space,
/// and does not begin a time stamp.
func headerName(_ name: [UInt8]) -> [UInt8] {
    let space = UInt8(ascii: " ")
    let quote = UInt8(ascii: "\"")
    let needsQuotes = name.isEmpty || name.first == space || name.last == space || name.contains { escape($0) != nil }
    var result: [UInt8] = []
    if needsQuotes {
        result.append(quote)
        for byte in name { result.append(contentsOf: escape(byte) ?? [byte]) }
        result.append(quote)
    } else {
        result = name
    }
    if name.contains(space) { result.append(UInt8(ascii: "\t")) }
    return result
}

/// The C escape of a byte, if it needs one within quotes.
private func escape(_ byte: UInt8) -> [UInt8]? {
    let letter: UInt8
    switch byte {
    case 0x07: letter = UInt8(ascii: "a")
    case 0x08: letter = UInt8(ascii: "b")
    case 0x09: letter = UInt8(ascii: "t")
    case 0x0A: letter = UInt8(ascii: "n")
    case 0x0B: letter = UInt8(ascii: "v")
    case 0x0C: letter = UInt8(ascii: "f")
    case 0x0D: letter = UInt8(ascii: "r")
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
    case 0x00..<0x20, 0x7F:
        let zero = UInt8(ascii: "0")
        return [UInt8(ascii: "\\"), zero + (byte >> 6), zero + ((byte >> 3) & 7), zero + (byte & 7)]
    default: return nil
    }
    return [UInt8(ascii: "\\"), letter]
}
