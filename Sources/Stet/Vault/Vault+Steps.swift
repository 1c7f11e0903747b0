// Head and file change in one recoverable step.
//
// 1. A text that the file is to have is written beside it and synced, under a name that the index was told before.
// 2. The operation commits, and with it a `FileStep`: what the file holds and what it is to hold.
// 3. The file is exchanged with the one beside it, moved or taken away, never overwritten: what an editor wrote in the
//    moment before is found under the other name, and captured.
// 4. The folder is synced, the step dropped, and how the file looks recorded.
//
// All but the writing in 1 under the store's lock. Whoever changes something next finishes what a killed process left
// after 2, and takes away what one left before.

/// How a step ended.
private enum StepResult: Equatable {
    /// The file is as it should be, or its user has changed it since.
    case done
    /// Another file took the name in that very moment, and was left as it is.
    case inTheWay
}

extension Vault {
    /// Finishes what killed processes left undone. Call before every change.
    func finishSteps() throws {
        guard try store.read({ try $0.hasSteps() }) else { return }
        try store.exclusively { writer in
            for step in try writer.index.read({ try writer.index.steps() }) {
                do {
                    try carryOut(step, writer, isFresh: false)
                } catch is VaultError {
                    // What is in its way need not be in the way of what is to be done now.
                } catch StoreError.nameTaken, StoreError.nameInside {
                    // Its note cannot be taken back either, since another has the name: it is a note without its file.
                    try writer.remember { try $0.dropStep(step) }
                }
            }
        }
    }

    /// - Parameter isFresh: whether it was committed by this very call, which has found the file to be as the step says.
    private func finish(_ step: FileStep, _ writer: Writer, isFresh: Bool) throws -> StepResult {
        let result =
            switch step.kind {
            case .write: try finishWrite(step, writer, isFresh: isFresh)
            case .move: try finishMove(step, writer)
            case .remove: try finishRemove(step, writer, isFresh: isFresh)
            case .prepare: try abandon(step, writer)
            }
        // One that is to be taken back is dropped after that.
        if result == .inTheWay, step.kind == .move { return result }
        // The step is dropped without a sync, so what it did must last before.
        for name in [step.name, step.target].compactMap({ $0 }) {
            if let place = try files.place(name) { try FileSystem.syncEntries(of: place.folder) }
        }
        try writer.remember { index in
            try index.dropStep(step)
            try recordLook(after: step, in: index)
        }
        return result
    }

    /// Takes away what was written for an operation that was never committed.
    private func abandon(_ step: FileStep, _ writer: Writer) throws -> StepResult {
        if let spare = try files.place(step.name)?.beside(step.spare) {
            if try files.isBeingWritten(spare) { throw VaultError.unfinished(step.name, "another process writes it") }
            try FileSystem.remove(spare)
            // Here already, for the folder may go with it.
            try FileSystem.syncEntries(of: spare.folder)
        }
        try removeEmptyFolders(of: step.name, writer)
        return .done
    }

    // MARK: Putting a text in place

    private func finishWrite(_ step: FileStep, _ writer: Writer, isFresh: Bool) throws -> StepResult {
        guard let place = try files.place(step.name) else { return .done }
        let spare = place.beside(step.spare)
        let aside = place.beside(VaultFiles.asideName(step.spare))
        var result = StepResult.done
        // Past a kill the note may have gone on to another version.
        let isWanted = try isFresh || isHead(step.new, of: step.note, writer)
        if isWanted, !isFresh { try writeAgain(spare, aside, place, step, writer) }
        if try isWanted && (isFresh || hash(spare) == step.new) {
            result = try putInPlace(step, spare, aside, place, isFresh: isFresh)
            // Nobody but Stet has had it, and this process may have it open still.
            if result == .inTheWay { try FileSystem.remove(spare) }
        }
        // What stands there now is what the file held.
        for leftover in [spare, aside] { try takeUp(leftover, step, writer, isFresh: isFresh) }
        return result
    }

    /// Writes the text beside a file once more where it is not there though the file still has the old one: somebody to
    /// whom the commit looked as if it had failed took it away.
    private func writeAgain(
        _ spare: FilePlace, _ aside: FilePlace, _ place: FilePlace, _ step: FileStep, _ writer: Writer
    ) throws {
        guard let old = step.old, try FileSystem.status(spare) == nil, try FileSystem.status(aside) == nil,
            let status = try FileSystem.status(place), try hash(place) == old,
            let ordinal = step.note, let note = try writer.index.note(ordinal: ordinal)
        else { return }
        let version = try writer.index.version(.head, of: note)
        let file = try FileSystem.createExclusively(spare, mode: 0o666)
        _ = try files.fill(file, like: VaultFile(place: place, status: status, isLink: false)) { write in
            try store.readText(of: version, write)
        }
    }

    private func isHead(_ object: ObjectID?, of note: Int?, _ writer: Writer) throws -> Bool {
        try writer.index.read {
            guard let ordinal = note, let note = try writer.index.note(ordinal: ordinal), !note.isDeleted else {
                return false
            }
            return try writer.index.version(.head, of: note).object == object
        }
    }

    private func putInPlace(
        _ step: FileStep, _ spare: FilePlace, _ aside: FilePlace, _ place: FilePlace, isFresh: Bool
    ) throws -> StepResult {
        guard step.old != nil else { return try moveIn(spare, to: place) }
        // Past a kill, only a file that is still the old one is replaced; one that is gone waits aside, or was removed.
        if !isFresh {
            guard let now = try hash(place) else {
                return try FileSystem.status(aside) == nil ? .done : moveIn(spare, to: place)
            }
            if now != step.old { return .done }
        }
        do throws(SystemError) {
            if try FileSystem.exchange(spare, place) == .done { return .done }
            try FileSystem.moveToNewName(place, to: aside)
        } catch {
            // One that was removed in the last moment is not in the way.
            guard error.isMissing else { throw error }
        }
        return try moveIn(spare, to: place)
    }

    private func moveIn(_ spare: FilePlace, to place: FilePlace) throws -> StepResult {
        do throws(SystemError) {
            try FileSystem.moveToNewName(spare, to: place)
            return .done
        } catch {
            if error.isThere { return .inTheWay }
            guard error.isMissing else { throw error }
            // Its user took it away in the last moment, or the folder that it was to go to.
            return try FileSystem.status(spare) == nil ? .done : .inTheWay
        }
    }

    /// Removes a file that a step left over, once its text is recorded: an editor may have written to it in the last
    /// moment, or be writing.
    private func takeUp(_ leftover: FilePlace, _ step: FileStep, _ writer: Writer, isFresh: Bool) throws {
        guard let status = try FileSystem.status(leftover) else { return }
        guard status.isRegularFile else {
            // A folder or a link took the file's name in the last moment: it gets the name back, and the note's file is gone.
            return try giveBack(leftover, step, writer, isFresh: isFresh)
        }
        let descriptor = try FileSystem.openForReading(leftover)
        // Nobody can open the file by this name; somebody who had it open before will close it. Later commands, which are
        // about other files, do not wait for that.
        if VaultFiles.keepsWriter(descriptor, forMilliseconds: isFresh ? 5_000 : 1) {
            throw VaultError.openElsewhere(step.name)
        }
        for _ in 0..<Self.patience {
            let file = VaultFile(place: leftover, status: try FileSystem.status(descriptor), isLink: false)
            guard let object = try files.hash(file)?.object else { continue }
            if try !isRecorded(object, of: step, writer) {
                guard let text = try read(file)?.text else { continue }
                defer { text.discard() }
                try capture(text, after: step, writer)
            }
            return try FileSystem.remove(leftover)
        }
        throw VaultError.keepsChanging(step.name)
    }

    /// Whether a version of the step's note has the text `object`.
    private func isRecorded(_ object: ObjectID, of step: FileStep, _ writer: Writer) throws -> Bool {
        try writer.index.read {
            guard let ordinal = step.note, let note = try writer.index.note(ordinal: ordinal) else {
                throw IndexDamage("a step for a file is of no note")
            }
            return try writer.index.newestVersion(of: note, with: object) != nil
        }
    }

    private func giveBack(_ leftover: FilePlace, _ step: FileStep, _ writer: Writer, isFresh: Bool) throws {
        guard let place = try files.place(step.name) else { return }
        guard let status = try FileSystem.status(place) else {
            return try FileSystem.moveToNewName(leftover, to: place)
        }
        // Two in turn that are no files: somebody plays with the name, and nobody's text is in the way.
        guard status.isRegularFile, try FileSystem.exchange(leftover, place) == .done else {
            throw VaultError.inTheWay(step.name)
        }
        try takeUp(leftover, step, writer, isFresh: isFresh)
    }

    /// Records a text that stood in a note's file for a moment, without taking the note from the version that it shows.
    private func capture(_ text: PreparedText, after step: FileStep, _ writer: Writer) throws {
        try writer.transact { transaction in
            guard let ordinal = step.note, let note = try transaction.index.note(ordinal: ordinal) else { return }
            let shown = try transaction.index.version(.head, of: note)
            let base = try step.old.flatMap { try transaction.index.newestVersion(of: note, with: $0) } ?? note.head
            let captured = try transaction.capture(text, of: note, onto: base)
            if note.isDeleted { return }
            var changed = note
            changed.head = captured
            if try transaction.index.isAncestor(note.head, of: captured, in: note) {
                try transaction.perform(.undo(note: ordinal, from: captured, to: note.head))
            } else {
                _ = try transaction.newVersion(
                    of: changed, name: note.name, object: shown.object, size: shown.size, kind: .restore)
            }
        }
    }

    // MARK: Moving

    private func finishMove(_ step: FileStep, _ writer: Writer) throws -> StepResult {
        guard let target = step.target, let from = try files.place(step.name) else { return .done }
        guard try isCalled(target, step.note, writer) else { return .done }
        guard let to = try files.place(target) else { return .inTheWay }
        let spare = from.beside(step.spare)
        if try FileSystem.status(spare) == nil {
            guard try FileSystem.status(from) != nil else { return .done }
            guard try files.isAlias(to, of: step.name, target) else {
                // What was moved before a kill stays there, whatever has the old name since.
                if let there = try FileSystem.status(to), there.inode == step.inode { return .done }
                return try moveIn(from, to: to)
            }
            try FileSystem.moveToNewName(from, to: spare)
        }
        let result = try moveIn(spare, to: to)
        if result == .inTheWay { _ = try moveIn(spare, to: from) }
        return result
    }

    /// Whether the note, or else some note in the folder, has the name that its file is moved to: what the index does not
    /// say is not done.
    private func isCalled(_ target: NoteName, _ note: Int?, _ writer: Writer) throws -> Bool {
        try writer.index.read {
            guard let note else { return try !writer.index.liveNotes(in: target).isEmpty }
            return try writer.index.note(ordinal: note)?.name == target
        }
    }

    // MARK: Taking away

    private func finishRemove(_ step: FileStep, _ writer: Writer, isFresh: Bool) throws -> StepResult {
        guard let place = try files.place(step.name) else { return .done }
        let spare = place.beside(step.spare)
        if try FileSystem.status(spare) == nil {
            // Past a kill, a file of another text is one that came since.
            let isOurs = try isFresh || hash(place) == step.old
            do throws(SystemError) {
                if isOurs { try FileSystem.moveToNewName(place, to: spare) }
            } catch {
                guard error.isMissing else { throw error }
            }
        }
        try takeUp(spare, step, writer, isFresh: isFresh)
        return .done
    }

    // MARK: Afterwards

    /// Carries a step out, or finishes it. Call under the lock. A move or a removal that fails is taken back.
    ///
    /// - Parameter isFresh: whether it was committed by this very call, which has found the file to be as the step says.
    /// - Throws: `VaultError.inTheWay` where a file took the new name in that very moment, `.notMoved`, `.unfinished`.
    func carryOut(_ step: FileStep, _ writer: Writer, isFresh: Bool) throws {
        do {
            guard try finish(step, writer, isFresh: isFresh) == .inTheWay, step.kind == .move else { return }
        } catch let error as DatabaseError {
            // Whether the index still takes anything is not known: nothing more is asked of it.
            throw error
        } catch {
            // What is not in place yet, or is in place and not known to last, is tried again; what can go back goes back.
            guard step.kind == .move || step.kind == .remove, (try? isBack(step)) == true else {
                throw VaultError.unfinished(step.name, "\(error)")
            }
            try takeBack(step, writer)
            try writer.remember { try $0.dropStep(step) }
            throw VaultError.notMoved(step.name, "\(error)")
        }
        try takeBack(step, writer)
        try writer.remember { try $0.dropStep(step) }
        throw VaultError.inTheWay(step.target ?? step.name)
    }

    /// Whether the file of a move or removal has its name again, or still.
    private func isBack(_ step: FileStep) throws -> Bool {
        guard let place = try files.place(step.name) else { return false }
        let spare = place.beside(step.spare)
        if try FileSystem.status(spare) != nil { return try moveIn(spare, to: place) == .done }
        guard let there = try FileSystem.status(place) else { return false }
        return step.inode == nil || there.inode == step.inode
    }

    /// Undoes the operation of a move or removal that could not be carried out.
    private func takeBack(_ step: FileStep, _ writer: Writer) throws {
        try writer.transact { transaction in
            if step.kind == .remove, let ordinal = step.note, let note = try transaction.index.note(ordinal: ordinal) {
                _ = try transaction.undelete(.id(note.id), as: nil)
            }
            guard step.kind == .move, let target = step.target else { return }
            guard let ordinal = step.note else {
                _ = try transaction.rename(transaction.index.renamings(ofFolder: target, to: step.name))
                try transaction.index.moveMadeFolders(from: target, to: step.name)
                return
            }
            guard let note = try transaction.index.note(ordinal: ordinal) else { return }
            _ = try transaction.rename([Renaming(.id(note.id), to: step.name)])
        }
    }

    private func recordLook(after step: FileStep, in index: StoreIndex) throws {
        guard let ordinal = step.note, let note = try index.note(ordinal: ordinal) else { return }
        if step.kind == .move {
            // The name is no part of the text: what was known goes on, with the time of the renaming.
            guard let (version, before) = try index.look(ordinal), let file = try? files.find(note.name) else { return }
            var look = FileLook(file.status, seen: FileSystem.now)
            guard look.inode == before.inode, look.size == before.size, look.modified == before.modified,
                before.isTrusted
            else { return try index.forgetLook(ordinal) }
            // Renaming changed nothing but one of the times, and a later change shows in the other.
            look.seen = max(look.seen, look.changed &+ 2_000_000_001)
            return try index.setLook(look, version: version, of: ordinal)
        }
        try index.forgetLook(ordinal)
        guard !note.isDeleted, let new = step.new, let file = try? files.find(note.name) else { return }
        guard let (object, look) = try? files.hash(file), object == new else { return }
        let head = try index.version(.head, of: note)
        if head.object == new { try index.setLook(look, version: head.number, of: ordinal) }
    }

    private func hash(_ place: FilePlace) throws -> ObjectID? {
        guard let status = try FileSystem.status(place), status.isRegularFile else { return nil }
        return try files.hash(VaultFile(place: place, status: status, isLink: false))?.object
    }
}
