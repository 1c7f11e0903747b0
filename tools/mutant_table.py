"""What tools/mutants breaks, and what ought to notice.

Of each mutant: its name, edits (file, text that is there exactly once, text in its place) and catchers, the cheapest first.
The new text stands for the old one while the mutant is on; where it has `$ON` it is put there as it is, and that is true
while the mutant is on. A catcher is a part of tools/crash with a scenario and options, or `test` with a filter.
"""

from dataclasses import dataclass

STORE, VAULT = "Sources/Stet/Store/", "Sources/Stet/Vault/"
INDEX, OBJECTS = "Sources/StetIndex/", "Sources/StetObjects/"


@dataclass(frozen=True)
class Mutant:
    name: str
    edits: tuple[tuple[str, str, str], ...]
    catchers: tuple[str, ...]


def mutant(name: str, path: str, old: str, new: str, *catchers: str) -> Mutant:
    return Mutant(name, ((path, old, new),), catchers)


SYNCS = [
    # Commits.
    mutant("commits not synced", INDEX + "SQLite/Connection.swift",
           'try execute("PRAGMA synchronous = FULL; PRAGMA cell_size_check = 1; PRAGMA foreign_keys = 0")',
           'try execute("PRAGMA synchronous = OFF; PRAGMA cell_size_check = 1; PRAGMA foreign_keys = 0")',
           "states save --states 500"),
    mutant("commits stay unsynced", INDEX + "SQLite/Connection.swift",
           'try execute("PRAGMA synchronous = \\(wanted ? "FULL" : "NORMAL")")', 'try execute("PRAGMA synchronous = NORMAL")',
           "states vault --states 500"),
    mutant("commit does not ask for syncs", INDEX + "StoreIndex.swift", "try connection.setSyncs(true)", "",
           "states vault --states 500"),
    mutant("checkpoint not synced", INDEX + "SQLite/Connection.swift",
           "let result = sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &copied)",
           '''if $ON { try execute("PRAGMA synchronous = OFF") }
        let result = sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &copied)
        if $ON { try execute("PRAGMA synchronous = FULL") }''',
           "states checkpoint --states 400"),
    # Names in the store's folder.
    mutant("name of a new store", STORE + "NoteStore.swift", 'try FileSystem.syncFolder(layout.folder + "/..")', "",
           "states create --states 500"),
    mutant("names in a new store", STORE + "Writer.swift",
           "        try FileSystem.syncFolder(layout.folder)\n        let writer",
           "        if !$ON { try FileSystem.syncFolder(layout.folder) }\n        let writer", "states again --states 400"),
    mutant("name of a new write-ahead log", STORE + "Writer.swift",
           "        _ = try StoreIndex.openForReading(layout.index)\n        try FileSystem.syncFolder(layout.folder)\n",
           "        _ = try StoreIndex.openForReading(layout.index)\n", "states log-gone --states 400"),
    mutant("write-ahead log made after the sync", STORE + "Writer.swift",
           "        _ = try StoreIndex.openForReading(layout.index)\n        try FileSystem.syncFolder(layout.folder)\n",
           "        try FileSystem.syncFolder(layout.folder)\n        _ = try StoreIndex.openForReading(layout.index)\n",
           "states log-gone --states 400"),
    mutant("empty write-ahead log taken for durable", INDEX + "SQLite/StetVFS.swift", "return status.size > 0",
           "return status.size >= 0", "states log-begun --states 400"),
    mutant("name of objects made again", STORE + "StoreLayout.swift", "try FileSystem.syncFolder(caches)", "",
           "states folders --states 400"),
    mutant("name of caches made again", STORE + "StoreLayout.swift", "try FileSystem.syncFolder(folder)", "",
           "states folders --states 400"),
    # Texts.
    mutant("large text", STORE + "PreparedText.swift", "try file.sync()", "", "states large --states 400"),
    mutant("name of a large text", OBJECTS + "LooseObjects.swift",
           "for shard in Set(placed.map(shard)) { try FileSystem.syncFolder(shard) }", "", "states large --states 400"),
    mutant("name of a shard", OBJECTS + "LooseObjects.swift",
           "if !placed.isEmpty { try FileSystem.syncFolder(folder) }", "", "states large --states 400"),
    # A flush.
    mutant("flush: objects", STORE + "Writer+Upkeep.swift", "try FileSystem.syncFileSystem(tree)", "",
           "states flush --states 400"),
    mutant("flush: log", STORE + "Writer+Upkeep.swift",
           "for (log, segment) in logs { try log.sync(segment: segment) }", "", "states flush --states 400"),
    mutant("flush: names of logs", STORE + "Writer+Upkeep.swift", "try FileSystem.syncFolder(turn.path)", "",
           "states device --states 400"),
    mutant("segment of the log", INDEX + "OperationLog.swift",
           "try FileSystem.sync(FileSystem.openForReading(path(segment)))", "", "states flush --states 400"),
    mutant("name of a segment", INDEX + "OperationLog.swift",
           "try FileSystem.sync(FileSystem.openForReading(path(segment)))\n        try FileSystem.syncFolder(folder)",
           "try FileSystem.sync(FileSystem.openForReading(path(segment)))", "states device --states 400"),
    # What is written anew.
    mutant("file written anew", OBJECTS + "FileSystem.swift",
           "            offset += bytes.count\n        }\n        try sync(file)\n",
           "            offset += bytes.count\n        }\n        if !$ON { try sync(file) }\n",
           "states replay --states 400", "faults save --calls fsync fdatasync"),
    mutant("name of a log written anew", INDEX + "OperationLog.swift",
           "try FileSystem.renew(path(segment))\n        try FileSystem.syncFolder(folder)",
           "try FileSystem.renew(path(segment))", "states replay --states 400"),
    mutant("name of a log's folder written anew", INDEX + "LogReplay.swift", "try FileSystem.syncFolder(oplog)", "",
           "states replay --states 400"),
    mutant("replayed log not written anew", INDEX + "LogReplay.swift",
           "for segment in start.segment...newest.position.segment { try log.renew(segment: segment) }", "",
           "states replay --states 400"),
    # Settings, and files that are given out.
    mutant("settings", STORE + "Settings.swift", "        try FileSystem.sync(file)\n", "", "states settings --states 400"),
    mutant("name of settings", STORE + "Settings.swift", "try FileSystem.syncFolder(folder)", "",
           "states settings --states 400"),
    mutant("file that is given out", OBJECTS + "FileSystem.swift", "            try sync(file)\n        } catch {",
           "            if !$ON { try sync(file) }\n        } catch {", "test fileThatIsGivenOutIsSynced"),
    # Files of a vault.
    mutant("vault: text beside the file", VAULT + "VaultFiles.swift", "try FileSystem.sync(spare)", "",
           "states vault --states 400"),
    mutant("vault: name beside the file", VAULT + "Vault+Changes.swift",
           "try FileSystem.syncEntries(of: spare.place.folder)", "", "states vault --states 3000"),
    mutant("vault: names after a step", VAULT + "Vault+Steps.swift",
           "if let place = try files.place(name) { try FileSystem.syncEntries(of: place.folder) }", "",
           "states rename --states 400"),
    mutant("vault: name of a new folder", VAULT + "VaultFiles.swift",
           "try FileSystem.syncEntries(of: place.folder)", "", "states rename --states 400"),
    # A backup.
    mutant("backup: name of the folder", STORE + "BackupFolder.swift",
           'try FileSystem.syncFolder(layout.folder + "/..")', "", "states backup --states 400"),
    mutant("backup: names in the folder", STORE + "BackupFolder.swift", "try FileSystem.syncFolder(layout.folder)", "",
           "states backup-again --states 1500"),
    mutant("backup: texts", STORE + "NoteStore+Backup.swift",
           "try target.syncing { try FileSystem.syncFileSystem(FileSystem.openFolder(copies.folder)) }", "",
           "states backup --states 400"),
    mutant("backup: log", INDEX + "OperationLog.swift", "        try FileSystem.sync(file)\n        try FileSystem.rename(spare",
           "        if !$ON { try FileSystem.sync(file) }\n        try FileSystem.rename(spare", "states backup --states 400"),
    mutant("backup: names of segments", INDEX + "LogCopy.swift",
           "            try FileSystem.syncFolder(OperationLog(oplog: target, device: device.id).folder)\n", "",
           "faults backup --calls fsync"),
    mutant("backup: names of logs", INDEX + "LogCopy.swift", "try FileSystem.syncFolder(target)", "",
           "states backup --states 1000"),
    mutant("backup: name of a segment before the next", INDEX + "OperationLog.swift",
           "to: path(position.segment))\n        try FileSystem.syncFolder(folder)",
           "to: path(position.segment))\n        if !$ON { try FileSystem.syncFolder(folder) }",
           "test segmentsOfABackupLastOneAfterTheOther"),
]

ORDER = [
    mutant("rows dropped before the syncs", STORE + "NoteStore+Upkeep.swift",
           "        try flush.sync()\n        try withWriter { try $0.finish(flush) }",
           "        try withWriter { try $0.finish(flush) }\n        try flush.sync()", "states flush --states 400"),
    mutant("journal row dropped early", INDEX + "StoreIndex+Journal.swift",
           'try connection.run("INSERT OR REPLACE INTO journal VALUES (?, ?, ?)", ordinal, operation, bytes)',
           '''try connection.run("INSERT OR REPLACE INTO journal VALUES (?, ?, ?)", ordinal, operation, bytes)
        try connection.run("DELETE FROM journal WHERE operation < ?", operation)''', "states save --states 500"),
    mutant("record row dropped early", INDEX + "StoreIndex+Journal.swift",
           '            "INSERT INTO record VALUES (?, ?, ?, ?, ?)", record.operation,',
           '''            "INSERT INTO record VALUES (?, ?, ?, ?, ?)", try {
                if $ON { try connection.run("DELETE FROM record") }
                return record.operation
            }(),''', "states save --states 500"),
    mutant("newest record not kept", INDEX + "StoreIndex+Journal.swift",
           'try connection.run("DELETE FROM record WHERE operation < ?", operation)',
           'try connection.run("DELETE FROM record WHERE operation <= ?", operation)', "states flush --states 20"),
    mutant("log and texts before the commit", STORE + "Writer.swift",
           "        try measureBacklog(transaction.newest)\n",
           "        try measureBacklog(transaction.newest)\n        if $ON { settle(transaction) }\n",
           "states save --states 400"),
    mutant("record before its text", STORE + "Writer.swift",
           "            for text in transaction.texts {",
           "            if $ON { try append(transaction.records) }\n            for text in transaction.texts {",
           "test textIsWrittenBeforeItsRecord"),
    mutant("commit before the name of a large text", STORE + "Writer.swift",
           "        try objects.syncNames(of: transaction.placed)\n",
           "        if !$ON { try objects.syncNames(of: transaction.placed) }\n", "states large --states 400"),
    mutant("settings in place before they are synced", STORE + "Settings.swift",
           "        try FileSystem.sync(file)\n        try FileSystem.rename(newSettings, to: self.settings)\n",
           "        try FileSystem.rename(newSettings, to: self.settings)\n        try FileSystem.sync(file)\n",
           "states settings --states 400"),
    mutant("step dropped before its names last", VAULT + "Vault+Steps.swift",
           "        // One that is to be taken back is dropped after that.\n",
           "        if $ON { try writer.remember { try $0.dropStep(step) } }\n", "states rename --states 400"),
    Mutant("step committed before its text is synced", (
        (VAULT + "VaultFiles.swift", "        try FileSystem.sync(spare)\n        return true",
         "        if !$ON { try FileSystem.sync(spare) }\n        return true"),
        (VAULT + "Vault+Changes.swift", "            try carryOut(step, writer, isFresh: true)\n            return value",
         "            if $ON { try spare.file.map { try FileSystem.sync($0) } }\n            try carryOut(step, writer, isFresh: true)\n"
         "            return value")), ("states vault --states 400",)),
    mutant("backup: index before the log", STORE + "NoteStore+Backup.swift",
           "            try log.append(after: end)\n            try target.replaceIndex(by: state)",
           "            try target.replaceIndex(by: state)\n            try log.append(after: end)",
           "states backup --states 400"),
    mutant("backup: index before the texts", STORE + "NoteStore+Backup.swift",
           "        let known = try Set(earlier.objects().map(\\.object))\n",
           "        let known = try Set(earlier.objects().map(\\.object))\n        if $ON { try target.replaceIndex(by: state) }\n",
           "states backup --states 400"),
]

CHECKPOINT = "index.checkpoint(emptying: isPatient || folding != .whenLong, patience: isPatient ? 1_000 : 0)"
FOLD = f"""        try exclusively {{
            try {CHECKPOINT}
        }}
"""

TRUST = [
    mutant("store's lock not taken", STORE + "Writer.swift",
           "        try lock.take()\n        isHeld = true\n", "        if !$ON { try lock.take() }\n        isHeld = true\n",
           "states save --states 20"),
    mutant("write-ahead log folded without the lock", STORE + "Writer+Upkeep.swift", FOLD, "            try " + CHECKPOINT,
           "states checkpoint --states 20"),
    mutant("rows dropped without the lock", STORE + "Writer+Upkeep.swift",
           """        try exclusively {
            try index.write {
                try index.dropFlushed(upTo: upTo.operation)
                try measureBacklog(index.newestRecord())
            }
        }
""", """        try index.write {
            try index.dropFlushed(upTo: upTo.operation)
            try measureBacklog(index.newestRecord())
        }
""", "states flush --states 20"),
    mutant("flush's turn not taken", STORE + "Writer+Upkeep.swift",
           "guard try StoreLock.take(turn, patience: waiting ? StoreLock.patience : 0) else {",
           "guard try $ON || StoreLock.take(turn, patience: waiting ? StoreLock.patience : 0) else {",
           "states flush --states 20"),
    mutant("store that was replaced is written to", STORE + "Writer.swift",
           "        guard try lock.isInPlace() else {", "        guard try $ON || lock.isInPlace() else {",
           "test storeThatWasReplacedIsRefused"),
    mutant("file taken for durable by its name", STORE + "PreparedText.swift",
           "guard try index.contains(text.object) else { return true }", "", "states dedupe --states 500"),
    mutant("damaged file taken for the text", STORE + "PreparedText.swift",
           "return try !objects.isWhole(text.object, size: text.size)",
           "return try objects.size(text.object) != text.size", "test savingTheTextAgainHealsItsObject"),
    Mutant("text looked for outside the transaction", (
        (STORE + "PreparedText.swift", "    var kind = VersionKind.save\n    var text: PreparedText\n",
         "    var kind = VersionKind.save\n    var text: PreparedText\n    var isMissing: Bool? // $ON\n"),
        (STORE + "PreparedText.swift", "let isMissing = try isMissing(save.text)\n",
         "let isMissing = try $ON && save.isMissing != nil ? save.isMissing == true : self.isMissing(save.text)\n"),
        (STORE + "NoteStore+Save.swift",
         "        return try write { transaction in try prepared.map { try transaction.save($0) } }",
         """        var prepared = prepared
        for number in prepared.indices where $ON {
            let text = prepared[number].text
            let isKnown = try read { try $0.contains(text.object) }
            prepared[number].isMissing = try !isKnown || !objects.isWhole(text.object, size: text.size)
        }
        return try write { transaction in try prepared.map { try transaction.save($0) } }""")),
        ("test whetherATextIsThereIsLookedAtInTheTransaction",)),
    mutant("hash not checked on reading", OBJECTS + "LooseObjects.swift",
           "guard ObjectID(of: bytes) == object else { throw ObjectError.damaged(object, path: file.path) }", "",
           "test damagedFileIsNeverReadAndIsReplacedOnWrite"),
    mutant("hash not checked before pieces", OBJECTS + "LooseObjects.swift",
           "guard ObjectID(hash) == object else { throw ObjectError.damaged(object, path: file.path) }", "",
           "test damagedLargeTextIsNeverShown"),
    mutant("hash not checked in the journal", INDEX + "StoreIndex+Journal.swift",
           "guard let bytes, ObjectID(of: bytes) == object else { return nil }",
           "guard let bytes, $ON || ObjectID(of: bytes) == object else { return nil }",
           "test textInTheJournalIsCheckedAgainstItsHash"),
    mutant("files of other writers trusted", STORE + "Writer+Upkeep.swift",
           "texts: texts.filter(written.contains))", "texts: texts.filter { $ON || written.contains($0) })",
           "test flushWritesAgainWhatAnotherWriterWrote", "faults flush --calls fsync fdatasync syncfs"),
    mutant("files trusted after a failed sync", STORE + "Writer+Upkeep.swift", "            written = []\n", "",
           "faults flush --calls fsync fdatasync syncfs"),
    mutant("files trusted for their names", STORE + "Writer+Upkeep.swift",
           "whole = Set(texts.filter { (try? objects.isWhole($0)) ?? false })", "whole = Set(texts)",
           "test flushWritesAgainWhatIsNotWhole"),
    mutant("records trusted in a flush", INDEX + "Reconciliation.swift",
           "if case .files = trust { first = held.startIndex }", "", "faults flush --calls fsync fdatasync syncfs"),
    mutant("failed commit not remembered", STORE + "Writer.swift",
           "        do {\n            try lock.set(.commits, true)\n            try renewCommits()\n",
           "        do {\n            if !$ON { try lock.set(.commits, true) }\n            try renewCommits()\n",
           "test saveWhoseSyncsAllFailIsUnknown"),
    mutant("other failed writes of the index not remembered", STORE + "Writer.swift",
           "            try lock.set(.commits, true)\n            throw error\n",
           "            if !$ON { try lock.set(.commits, true) }\n            throw error\n",
           "faults vault --calls fdatasync"),
    mutant("doubt not looked at", STORE + "Writer.swift", "if try lock.isInDoubt(.commits) { try renewCommits() }", "",
           "test saveWhoseSyncsAllFailIsUnknown"),
    mutant("commit that failed left in the log", STORE + "Writer.swift", "            try Self.committing(lock) { try index.overwriteEnd() }\n", "",
           "test saveThatFailedDoesNotComeBack"),
    mutant("name of a log that was written anew", STORE + "Writer.swift",
           "            try FileSystem.syncFolder(layout.folder)\n        }\n        isUsable = true",
           "            if !$ON { try FileSystem.syncFolder(layout.folder) }\n        }\n        isUsable = true",
           "faults repair --calls fsync"),
    mutant("failed commit not written anew", STORE + "Writer.swift",
           "if try FileSystem.status(layout.writeAheadLog) != nil { try FileSystem.renew(layout.writeAheadLog) }", "",
           "faults save --calls fsync fdatasync"),
    mutant("failed commit taken for done", STORE + "Writer.swift",
           "if let record = transaction?.records.last, try index.newestRecord() == record { return }", "return",
           "faults save --calls fsync fdatasync"),
    mutant("failed backup not remembered", STORE + "BackupFolder.swift", "try lock.watching(.copies, body)", "try body()",
           "test backupWhoseSyncFailedIsWrittenAnew"),
    mutant("doubtful backup: index not written anew", STORE + "BackupFolder.swift",
           "if try FileSystem.status(layout.writeAheadLog) != nil { try FileSystem.renew(layout.writeAheadLog) }", "",
           "faults backup-again --calls fsync fdatasync syncfs"),
    mutant("index that was only begun is not begun again", INDEX + "StoreIndex.swift",
           "if try FileSystem.status(path) != nil, try !isOnlyBegun(path) { return try create(path) }",
           "if try $ON || (FileSystem.status(path) != nil && !isOnlyBegun(path)) { return try create(path) }",
           "test storeThatWasOnlyBegunIsMade"),
    mutant("doubtful backup: texts trusted", STORE + "NoteStore+Backup.swift",
           "!isInDoubt && copies.isWhole(object, size: size)", "($ON || !isInDoubt) && copies.isWhole(object, size: size)",
           "test backupWhoseSyncFailedIsWrittenAnew"),
    mutant("end of the log not read once", STORE + "Writer.swift", "private var isTailKnown = false",
           "private var isTailKnown = $ON", "test logRecordsThatTurnedToZerosAreWrittenAgain",
           "test indexAndLogThatWentDifferentWaysAreRefused"),
    mutant("torn end of the log not cut", INDEX + "LogReplay.swift", "if isTorn, repairing { try log.cut(at: end) }", "_ = isTorn",
           "test tornEndOfTheLogIsCutOffByTheNextSave"),
    mutant("chain not checked in a replay", INDEX + "LogReplay.swift",
           "guard entry.previous == before else { throw damage(device, entry) }", "_ = before",
           "test recordThatDoesNotFollowIsDamage"),
    mutant("chain not checked in the index", INDEX + "LogReplay.swift",
           "frame.previous == (sequence == 1 ? RecordFrame.noCheck : RecordFrame.check(of: newest?.bytes ?? [])),",
           "$ON || frame.previous == (sequence == 1 ? RecordFrame.noCheck : RecordFrame.check(of: newest?.bytes ?? [])),",
           "test recordThatDoesNotFollowIsDamage"),
    mutant("verify does not read", STORE + "NoteStore+Verify.swift", "            if reading {\n", "            if reading, !$ON {\n",
           "test flippedBitIsFoundAndOtherNotesStayReadable"),
    mutant("verify does not look at the log", STORE + "NoteStore+Verify.swift", "        report.problems += problems\n", "",
           "test recordThatDoesNotFollowIsDamage"),
]

REPAIR_INDEX, ASIDE = "Sources/Stet/Repair/Repair+Index.swift", "Sources/Stet/Repair/SetAside.swift"

REPAIR = [
    mutant("repair: file that is replaced", ASIDE, "            try FileSystem.sync(file)\n", "", "states repair-text --states 400"),
    mutant("repair: folders of what is set aside", ASIDE,
           "        try syncFolders(to: place)\n        try FileSystem.rename(path, to: place)\n",
           "        try FileSystem.rename(path, to: place)\n", "states repair-unsynced --states 400"),
    mutant("repair: name of what is set aside", ASIDE,
           "        try FileSystem.syncFolder(folder(of: place))\n        return .setAside(layout.inStore(path)",
           "        if !$ON { try FileSystem.syncFolder(folder(of: place)) }\n        return .setAside(layout.inStore(path)",
           "states repair-log --states 800"),
    mutant("repair: folders of what is replaced", ASIDE,
           "        try syncFolders(to: place)\n        let wasThere",
           "        if !$ON { try syncFolders(to: place) }\n        let wasThere", "states repair-log --states 800"),
    mutant("repair: name of what was replaced", ASIDE,
           "        try FileSystem.syncFolder(folder(of: place))\n        try FileSystem.syncFolder(folder(of: path))\n"
           "        return wasThere",
           "        if !$ON { try FileSystem.syncFolder(folder(of: place)) }\n"
           "        try FileSystem.syncFolder(folder(of: path))\n        return wasThere", "states repair-log --states 800"),
    mutant("repair: name of what was put in place", ASIDE,
           "        try FileSystem.syncFolder(folder(of: place))\n        try FileSystem.syncFolder(folder(of: path))\n"
           "        return wasThere",
           "        try FileSystem.syncFolder(folder(of: place))\n"
           "        if !$ON { try FileSystem.syncFolder(folder(of: path)) }\n        return wasThere",
           "states repair-text --states 400"),
    mutant("repair: name of a log's folder", REPAIR_INDEX,
           "if try FileSystem.makeFolder(folder(of: path)) { try FileSystem.syncFolder(layout.operationLog) }",
           "try FileSystem.makeFolder(folder(of: path))", "states repair-log --states 400"),
    mutant("repair: log not written anew", REPAIR_INDEX, "try OperationLog.renewAll(in: layout.operationLog)", "",
           "states repair-unsynced --states 400"),
    mutant("repair: names of logs", REPAIR_INDEX,
           "        try FileSystem.syncFolder(layout.operationLog)\n        // Opened before",
           "        if !$ON { try FileSystem.syncFolder(layout.operationLog) }\n        // Opened before",
           "states repair-unsynced --states 400"),
    mutant("repair: texts that the old index held", REPAIR_INDEX, "try secureWhatTheOldIndexHeld(salvage, wanted: chain.texts)",
           "", "states repair-log --states 400"),
    mutant("repair: objects", REPAIR_INDEX, "        try FileSystem.syncFileSystem(tree)\n", "",
           "states repair-unsynced --states 400"),
    mutant("repair: text that is brought back", "Sources/Stet/Repair/Repair+Texts.swift", "try file.sync()", "",
           "states repair-text --states 400"),
    mutant("repair: name of a text that is brought back", "Sources/Stet/Repair/Repair+Texts.swift",
           "try objects.syncNames(of: [object])", "", "states repair-text --states 400"),
    mutant("repair: name of the new index", REPAIR_INDEX,
           "        try FileSystem.rename(layout.newIndex, to: layout.index)\n        try FileSystem.syncFolder(layout.folder)\n",
           "        try FileSystem.rename(layout.newIndex, to: layout.index)\n", "states repair-unsynced --states 400"),
    mutant("repair: new index before the old log is set aside", REPAIR_INDEX,
           "for suffix in [\"\", \"-wal\", \"-shm\", \"-journal\"] where try FileSystem.isThere(layout.index + suffix) {",
           "for suffix in $ON ? [] : [\"\", \"-wal\", \"-shm\", \"-journal\"]\n"
           "        where try FileSystem.isThere(layout.index + suffix) {", "states repair-log --states 400"),
    mutant("repair: texts that no version has", "Sources/Stet/Repair/Repair.swift", "try renew(batch)", "",
           "states repair-stray --states 400"),
]

MUTANTS: list[Mutant] = SYNCS + ORDER + TRUST + REPAIR
