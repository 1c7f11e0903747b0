import Stet
import StetIndex
import StetObjects

/// The store at the end of a complete run: what its operations were, and what any state on the way has to be.
final class Reference {
    /// A record, and whose it is: the first ones of two devices can have the same bytes.
    struct Record: Equatable {
        var device: DeviceID
        var bytes: [UInt8]
    }

    let records: [Record]
    private let folder: String
    private let texts: [ObjectID: [UInt8]]
    private var replayed: [Int: StoreIndex] = [:]

    init(_ folder: String) throws {
        self.folder = folder
        records = try Self.records(of: folder)
        var texts: [ObjectID: [UInt8]] = [:]
        let objects = LooseObjects(caches: folder + "/caches")
        try objects.forEach { texts[$0] = try objects.read($0) }
        self.texts = texts
    }

    /// All records of a store's log, in their order.
    static func records(of folder: String) throws -> [Record] {
        var records: [Record] = []
        for device in try StoreIndex.openForReading(folder + "/index.sqlite").devices() {
            try OperationLog(oplog: folder + "/oplog", device: device.id).scan(from: OperationLog.start) { entry in
                records.append(.init(device: device.id, bytes: entry.bytes))
            }
        }
        return records
    }

    /// The index as it was after `operation`: the log replayed up to there.
    func index(after operation: Int) throws -> StoreIndex {
        if let index = replayed[operation] { return index }
        let index = try StoreIndex.inMemory()
        _ = try index.write {
            try LogReplay(into: index, oplog: folder + "/oplog").run(after: nil, upTo: operation, repairing: false)
        }
        replayed[operation] = index
        return index
    }

    /// Whether `bytes` is not the text that the complete run had under that name; one it did not have is not known.
    func contradicts(_ object: ObjectID, _ bytes: [UInt8]) -> Bool { texts[object].map { $0 != bytes } ?? false }
}
