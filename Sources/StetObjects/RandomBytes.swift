/// Bytes from the system's random source, for identifiers and temporary names.
package func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    // Eight at a time: each word is a system call.
    while bytes.count < count {
        withUnsafeBytes(of: generator.next()) { bytes += $0 }
    }
    return Array(bytes.prefix(count))
}
