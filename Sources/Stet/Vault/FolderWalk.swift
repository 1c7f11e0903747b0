internal import Glibc

/// A walk through a folder and everything below it by several threads: finds every file that by its name and kind could
/// be a note, and how it looks. To look at ten thousand files takes the kernel 9 ms; two processors halve that.
final class FolderWalk: Sendable {
    /// A regular file: where its path stands among the paths of its batch.
    struct File {
        var path: Range<Int>
        var status: FileStatus
    }

    /// What one thread found.
    struct Batch: Sendable {
        var paths: [UInt8] = []
        var files: [File] = []
        var skipped: [(path: [UInt8], reason: SkipReason)] = []
        /// What kept the walk from looking, though nothing is wrong with what it was to look at.
        var failure: SystemError?
    }

    /// Something left to do.
    private enum Task {
        /// Go into a folder: its parent, its name, and its path with a slash.
        case folder(FilePlace, path: [UInt8])
        /// Look at files of a folder: their names, each with a NUL, one after the other.
        case files(FileDescriptor, path: [UInt8], names: [UInt8])
    }

    private struct Work {
        var tasks: [Task] = []
        /// Threads that have taken a task and not handed over what they found: more tasks may come from them.
        var busy = 0
        var batches: [Batch] = []
    }

    private let work: Guarded<Work>
    private let device: UInt64
    private let store: FileStatus

    /// How many files one task looks at.
    private static let chunk = 256

    /// - Parameters:
    ///   - folder: where the walk begins.
    ///   - path: its path in the vault, with a slash at the end, or empty.
    ///   - store: the store's folder, which is left out wherever it lies.
    init(_ folder: FileDescriptor, path: [UInt8], store: FileStatus) throws {
        device = try FileSystem.status(folder).device
        self.store = store
        work = Guarded(Work(tasks: [.folder(FilePlace(folder, "."), path: path)]))
    }

    /// Takes part in the walk for as long as there is something to do. Call from any number of threads.
    func takePart() {
        guard
            var task = work.withLock({ work in
                let task = work.tasks.popLast()
                if task != nil { work.busy += 1 }
                return task
            })
        else { return }
        var batch = Batch()
        while true {
            let further = carryOut(task, &batch)
            let next = work.withLock { work in
                work.tasks += further
                let next = work.tasks.popLast()
                if next == nil {
                    work.busy -= 1
                    work.batches.append(batch)
                }
                return next
            }
            guard let next else { return }
            task = next
        }
    }

    /// What was found, when all that took part have come to the end.
    func result() -> [Batch] {
        while true {
            let (batches, isOver, hasWork) = work.withLock { work in
                (work.batches, work.busy == 0 && work.tasks.isEmpty, !work.tasks.isEmpty)
            }
            if isOver { return batches }
            if hasWork { takePart() } else { usleep(20) }
        }
    }

    private func carryOut(_ task: Task, _ batch: inout Batch) -> [Task] {
        switch task {
        case .folder(let place, let path): return list(place, path, &batch)
        case .files(let folder, let path, let names):
            return look(folder, path, names[...], &batch)
        }
    }

    private func list(_ place: FilePlace, _ path: [UInt8], _ batch: inout Batch) -> [Task] {
        var further: [Task] = []
        var names: [UInt8] = []
        var count = 0
        do {
            let folder = try FileSystem.openFolder(place)
            let status = try FileSystem.status(folder)
            if status.inode == store.inode, status.device == store.device { return [] }
            if status.device != device {
                batch.skipped.append((path, .otherFileSystem))
                return []
            }
            try FileSystem.forEachEntry(in: folder) { name, length, kind in
                let bytes = UnsafeRawBufferPointer(start: name, count: length).assumingMemoryBound(to: UInt8.self)
                if let reason = reasonToSkip(name, bytes, kind) {
                    if reason == .hidden, isStore(name, in: folder) { return }
                    batch.skipped.append((path + bytes, reason))
                } else if kind == .folder {
                    if let problem = problem(of: bytes) {
                        batch.skipped.append((path + bytes, .name(problem)))
                    } else {
                        let inside = path + bytes + [UInt8(ascii: "/")]
                        further.append(.folder(FilePlace(folder, String(decoding: bytes, as: UTF8.self)), path: inside))
                    }
                } else {
                    names += UnsafeRawBufferPointer(start: name, count: length + 1)
                    count += 1
                    guard count == Self.chunk else { return }
                    further.append(.files(folder, path: path, names: names))
                    names.removeAll(keepingCapacity: true)
                    count = 0
                }
            }
            further += look(folder, path, names[...], &batch)
        } catch {
            // Too many open files, or too little memory, say nothing of the folder.
            let failure = error as? SystemError
            if let failure, [EMFILE, ENFILE, ENOMEM].contains(failure.number) { batch.failure = failure }
            batch.skipped.append((path, .unreadable))
        }
        return further
    }

    /// Whether a hidden entry is the store, which nobody misses among the notes.
    private func isStore(_ name: UnsafePointer<CChar>, in folder: FileDescriptor) -> Bool {
        guard let status = FileSystem.status(name, in: folder) else { return false }
        return status.inode == store.inode && status.device == store.device
    }

    private func reasonToSkip(
        _ name: UnsafePointer<CChar>, _ bytes: UnsafeBufferPointer<UInt8>, _ kind: EntryKind
    ) -> SkipReason? {
        if NoteRules.isHidden(name) { return .hidden }
        switch kind {
        case .link: return .link
        case .other: return .special
        case .folder: return nil
        case .file, .unknown: return NoteRules.isTemporary(bytes) ? .temporary : nil
        }
    }

    private func problem(of name: UnsafeBufferPointer<UInt8>) -> NameError.Problem? {
        do throws(NameError) {
            _ = try NoteName(bytes: Array(name))
            return nil
        } catch {
            return error.problem
        }
    }

    /// Looks at each file of `names`. Returns folders among them, on file systems whose listings do not tell.
    private func look(
        _ folder: FileDescriptor, _ path: [UInt8], _ names: ArraySlice<UInt8>, _ batch: inout Batch
    ) -> [Task] {
        var folders: [Task] = []
        names.withUnsafeBytes { buffer in
            var start = 0
            while start < buffer.count {
                guard let name = buffer.baseAddress.map({ $0 + start }) else { return }
                let length = strlen(name.assumingMemoryBound(to: CChar.self))
                defer { start += length + 1 }
                let bytes = UnsafeRawBufferPointer(start: name, count: length)
                // One that is gone in the meantime is none.
                guard let status = FileSystem.status(name.assumingMemoryBound(to: CChar.self), in: folder) else {
                    continue
                }
                if status.isRegularFile {
                    let begin = batch.paths.count
                    batch.paths += path
                    batch.paths += bytes
                    batch.files.append(File(path: begin..<batch.paths.count, status: status))
                } else if status.isFolder {
                    let inside = path + bytes + [UInt8(ascii: "/")]
                    folders.append(.folder(FilePlace(folder, String(decoding: bytes, as: UTF8.self)), path: inside))
                } else {
                    batch.skipped.append((path + bytes, status.isLink ? .link : .special))
                }
            }
        }
        return folders
    }
}
