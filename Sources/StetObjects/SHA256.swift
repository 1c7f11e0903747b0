import CCrypto

/// SHA-256 (FIPS 180-4) computed piece by piece, so that large objects need no memory.
package struct SHA256: Sendable {
    private var context = SHA256_CTX()

    /// A digest of nothing yet.
    package init() { SHA256_Init(&context) }

    /// Adds `bytes` to what is digested.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    /// Adds `bytes` to what is digested.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of all that was added, 32 bytes.
    package func digest() -> [UInt8] {
        var last = context
        return [UInt8](unsafeUninitializedCapacity: ObjectID.byteCount) { buffer, count in
            SHA256_Final(buffer.baseAddress, &last)
            count = ObjectID.byteCount
        }
    }

    /// The digest of `bytes`, 32 bytes.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.digest()
    }
}

extension ObjectID {
    /// The name of the object with these bytes.
    public init(of bytes: [UInt8]) {
        var hash = SHA256()
        hash.update(bytes)
        self.init(hash)
    }

    /// The name of the object whose bytes `hash` was fed.
    package init(_ hash: SHA256) {
        let digest = hash.digest()
        guard let identifier = ObjectID(bytes: digest) else {
            preconditionFailure("a SHA-256 has 32 bytes, this one has \(digest.count)")
        }
        self = identifier
    }
}
