/// Why an object cannot be had.
public enum ObjectError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No copy of it exists.
    case missing(ObjectID)
    /// A copy exists, but its bytes do not give its name.
    case damaged(ObjectID, path: String)

    /// One line that names the object.
    public var description: String {
        switch self {
        case .missing(let object): "the text is missing: object \(object) is not in the store"
        case .damaged(let object, let path): "the text is damaged: \(path) does not hold object \(object)"
        }
    }
}
