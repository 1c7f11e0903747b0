#!/usr/bin/env python3
"""Reads a Stet store by itself: written from docs/format.md alone, it proves that the page is enough.

    read-store.py STORE check                checks every rule of the page, every record and every text
    read-store.py STORE list                 one JSON object a line for each version of each note
    read-store.py STORE cat NOTE VERSION     the exact bytes of a version; NOTE is an id or a name
    read-store.py STORE extract DIR          every version as DIR/<note id>/<number>, and DIR/index.json

With --no-index it reads the log and the object files alone. It never writes into the store. What it finds goes to
standard error, a line each: a "note" is what the page allows, a "problem" is what it does not. Exit code 1: problems.
"""

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from typing import BinaryIO, Callable, Iterator

sys.dont_write_bytecode = True
# These two stand beside this file.
from store_log import (LARGEST_SEGMENT, DeviceLog, Findings, Newer, Wrong, chain, device_name, open_regular,
                       parse_record, read_logs)
from store_replay import KINDS, Note, Replay, Version

APPLICATION_ID = 0x73746574


class locked:
    """Holds the writer's lock, shared, so that no checkpoint comes between the copies of the index and its log."""

    def __init__(self, path: str, findings: Findings) -> None:
        self.file = open_regular(path)
        for _ in range(100):
            try:
                return fcntl.flock(self.file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.05)
        findings.note("a writer holds the lock: what is read of the index may be torn")

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.file.close()


class Index:
    """A copy of the index, from which `record`, `journal`, and what explains them are read."""

    def __init__(self, store: str, scratch: str, findings: Findings) -> None:
        with locked(os.path.join(store, "lock"), findings):
            for suffix in ("", "-wal"):
                source = os.path.join(store, "index.sqlite" + suffix)
                if not suffix or os.path.lexists(source):
                    with open_regular(source) as file, open(os.path.join(scratch, "copy" + suffix), "wb") as copy:
                        shutil.copyfileobj(file, copy)
        deadline = time.monotonic() + 300
        self.database = sqlite3.connect(f"file:{scratch}/copy?mode=ro", uri=True)
        self.database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_SEGMENT)
        self.database.set_progress_handler(lambda: time.monotonic() > deadline, 1_000_000)
        self.database.execute("PRAGMA trusted_schema = OFF")
        version = self.rows("PRAGMA user_version")[0][0]
        if self.rows("PRAGMA application_id") != [(APPLICATION_ID,)] or version < 1:
            raise Wrong("index.sqlite is no index of a store")
        if version > 3:
            raise Newer(f"the index has layout {version}; this reader knows layouts 1 to 3")
        tables = {row[0] for row in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")}
        if missing := {"record", "journal", "object", "device"} - tables:
            raise Wrong(f"the index lacks the tables {sorted(missing)}")
        self.journal: dict[object, object] = dict(self.rows(
            "SELECT object.hash, journal.object FROM journal JOIN object USING (object)"))
        self.newest: int = self.rows("SELECT ifnull(max(CAST(operation AS INTEGER)), 0) FROM record")[0][0]
        self.devices: list[tuple[int, bytes]] = self.rows(
            "SELECT ifnull(CAST(base AS INTEGER), 0), CAST(id AS BLOB) FROM device WHERE length(id) = 8")

    def rows(self, sql: str, *values: object) -> list[tuple]:
        try:
            return self.database.execute(sql, values).fetchall()
        except UnicodeDecodeError as error:  # Python decodes SQLite's own message, which can quote garbled bytes.
            raise sqlite3.DatabaseError("the index is damaged") from error

    def records(self) -> list[tuple[int, bytes, object, object, bytes]]:
        """Base and id of the device, sequence number, segment, offset and bytes of each record that the index holds."""
        found = []
        for operation, segment, start, raw in self.rows(
                "SELECT CAST(operation AS INTEGER), segment, start, ifnull(CAST(bytes AS BLOB), x'') FROM record"
                " ORDER BY operation"):
            base, device = max((pair for pair in self.devices if pair[0] < operation), default=(0, b""))
            found.append((operation - base, device, segment, start, raw))
        return found

    def text(self, digest: bytes) -> bytes | None:
        """The bytes that the journal holds for a hash, if it holds the right ones."""
        if digest not in self.journal:
            return None
        found = self.rows("SELECT CAST(bytes AS BLOB) FROM journal WHERE object = ?", self.journal[digest])
        return found[0][0] if found and hashlib.sha256(found[0][0] or b"").digest() == digest else None


def fill_from_index(logs: dict[bytes, DeviceLog], index: Index, findings: Findings) -> None:
    """Compares the records that the index holds with the logs, and appends those that come after a log's end."""
    rows, taken = index.records(), 0
    if not rows:
        findings.problem("the index has no record, not even the newest")
    for sequence, device, segment, start, raw in rows:
        log, record = logs.setdefault(device, DeviceLog(device)), parse_record(raw, 0)
        where = f"record {sequence} of {device_name(device)}"
        if len(device) != 8 or record is None or record.raw != raw or record.sequence != sequence:
            raise Wrong(f"{where} is damaged in the index")
        if sequence > len(log.records) + 1:
            raise Wrong(f"{where} is in the index, and {sequence - len(log.records) - 1} before it are missing")
        if sequence <= len(log.records):
            if (segment, start) != log.places[sequence - 1] or log.records[sequence - 1].raw != raw:
                raise Wrong(f"{where} is another in the log than in the index: the two have diverged")
            continue
        if (segment, start) != log.next_place():
            raise Wrong(f"{where} belongs at {(segment, start)}, but the log ends at {log.next_place()}")
        if any(byte not in (0, other) for byte, other in zip(log.tail, raw)):
            findings.problem(f"{where} is damaged in the log; the index has it whole")
        log.tail = b""
        log.add(record, segment, start)
        taken += 1
    if taken:
        findings.note(f"{taken} records are not in the log yet and were taken from the index")


class Store:
    """A store that has been read: its replay, and where its texts are."""

    def __init__(self, path: str, scratch: str, use_index: bool, findings: Findings) -> None:
        self.path, self.findings, self.replay, self.devices = path, findings, Replay(), 0
        self.index: Index | None = None
        status = os.stat(path)
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise Wrong("the store belongs to another user, or others can write to it")
        if use_index:  # before the log: what a flush moves from the index to the files is then seen in one of them
            self.attempt(lambda: self.open_index(scratch), "the index cannot be read: ")
        logs = read_logs(path, findings)
        if self.index:
            self.attempt(lambda: fill_from_index(logs, self.index, findings))
        self.attempt(lambda: self.replay_all(logs))

    def attempt(self, step: Callable[[], None], what: str = "") -> None:
        """Does a step; what is wrong with it becomes a problem and ends that step only."""
        try:
            step()
        except Newer:
            raise
        except (Wrong, OSError, sqlite3.Error) as error:
            self.findings.problem(f"{what}{error}")

    def open_index(self, scratch: str) -> None:
        self.index = Index(self.path, scratch, self.findings)

    def replay_all(self, logs: dict[bytes, DeviceLog]) -> None:
        for log in chain(logs, self.findings):
            # A log may go on after the index, with further devices too.
            known = self.index.devices if self.index and self.replay.operation < self.index.newest else None
            if known is not None and (self.replay.operation, log.device) not in known:
                self.findings.problem(f"the index does not have {device_name(log.device)} at its place in the order")
            self.devices += 1
            for record in log.records:
                try:
                    self.replay.apply(log.device, record.sequence, record.payload)
                except Wrong as error:
                    raise type(error)(f"record {record.sequence} of {device_name(log.device)}: {error}") from None

    def copy_text(self, version: Version, target: BinaryIO | None) -> None:
        """Writes a version's text to a file that may be cut, or to nothing; raises where no copy has the right hash."""
        text = self.index and self.index.text(version.digest)
        if text is None:
            return self.copy_object(version, target)
        if len(text) != version.size:
            raise Wrong(f"the text {version.digest.hex()} of the journal has {len(text)} bytes, not {version.size}")
        if target:
            target.write(text)

    def copy_object(self, version: Version, target: BinaryIO | None) -> None:
        name = version.digest.hex()
        try:
            file = open_regular(os.path.join(self.path, "caches", "objects", name[:2], name[2:]))
        except OSError as error:
            raise Wrong(f"the text {name} is missing: {error.strerror}") from None
        with file:
            if (size := os.fstat(file.fileno()).st_size) != version.size:
                raise Wrong(f"the text {name} has {size} bytes, not {version.size}")
            digest = hashlib.sha256()
            while block := file.read(1 << 20):
                digest.update(block)
                if target:
                    target.write(block)
        if digest.digest() != version.digest:
            raise Wrong(f"the text {name} is damaged: its hash is {digest.hexdigest()}")

    def versions(self) -> Iterator[tuple[Note, int, Version]]:
        for note in self.replay.notes:
            for number, version in enumerate(note.versions, 1):
                yield note, number, version

    def rows(self) -> Iterator[dict[str, object]]:
        """What `list` says of each version, in the order of notes and numbers."""
        ordinals = {note.id: ordinal for ordinal, note in enumerate(self.replay.notes, 1)}
        for note, number, version in self.versions():
            yield {
                "note": note.id.hex(), "name": note.name, "deleted": note.deleted is not None,
                "ordinal": ordinals[note.id], "number": number, "version": version.name, "parents": version.parents,
                "kind": KINDS[version.kind], "sha256": version.digest.hex(), "size": version.size,
                "time": version.time, "label": version.label, "pinned": version.pinned, "head": number == note.head,
                "redo": version.redo, "bookmarked": version.bookmarked, "names_before": note.names_before}


def check(store: Store) -> None:
    """Reads every text, each hash once, and sums up."""
    seen: dict[bytes, int] = {}
    texts = 0
    for note, number, version in store.versions():
        if seen.setdefault(version.digest, version.size) != version.size:
            store.findings.problem(f"{note.id.hex()} version {number}: its size is not that of its text")
        elif len(seen) > texts:
            texts = len(seen)
            store.attempt(lambda: store.copy_text(version, None))
    problems = len(store.findings.problems)
    print(f"{store.replay.operation} operations of {store.devices} devices, {len(store.replay.notes)} notes, "
          f"{sum(1 for _ in store.versions())} versions, {len(seen)} texts: "
          + (f"{problems} problems" if problems else "all whole"))


def cat(store: Store, name: str, number: str) -> None:
    """Prints a version's bytes, once all of them have been proved."""
    notes = [note for note in store.replay.notes if note.id.hex() == name] \
        or [note for note in store.replay.notes if note.name == name and note.deleted is None] \
        or [note for note in store.replay.notes if note.name == name]
    if len(notes) != 1 or not re.fullmatch("[0-9]{1,19}", number):
        raise Wrong(f"{len(notes)} notes are called {name!a}: give an id" if len(notes) != 1 else "no version number")
    with tempfile.TemporaryFile() as proved:
        store.copy_text(notes[0].version(int(number)), proved)
        proved.seek(0)
        shutil.copyfileobj(proved, sys.stdout.buffer)


def extract(store: Store, target: str) -> None:
    """Writes every version into a new folder; ids and numbers make the paths, never names."""
    if os.path.commonpath([os.path.realpath(target), os.path.realpath(store.path)]) == os.path.realpath(store.path):
        raise Wrong("nothing is written into the store")
    os.mkdir(target, 0o700)
    for note, number, version in store.versions():
        folder = os.path.join(target, note.id.hex())
        os.makedirs(folder, 0o700, exist_ok=True)
        store.attempt(lambda: extract_version(store, version, os.path.join(folder, str(number))))
    with open(os.path.join(target, "index.json"), "x", encoding="ascii") as file:
        json.dump(list(store.rows()), file, indent=1)


def extract_version(store: Store, version: Version, path: str) -> None:
    """Writes one version; the file is there only where its bytes are right."""
    try:
        with open(path, "xb") as file:
            store.copy_text(version, file)
    except Wrong:
        os.unlink(path)
        raise


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-index", action="store_true", help="read the log and the object files alone")
    parser.add_argument("store")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check")
    commands.add_parser("list")
    commands.add_parser("extract").add_argument("target")
    cat_parser = commands.add_parser("cat")
    cat_parser.add_argument("note")
    cat_parser.add_argument("number")
    arguments, findings = parser.parse_args(), Findings()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            store = Store(arguments.store, scratch, not arguments.no_index, findings)
            if arguments.command == "check":
                check(store)
            elif arguments.command == "list":
                for row in store.rows():
                    print(json.dumps(row))
            elif arguments.command == "cat":
                cat(store, arguments.note, arguments.number)
            else:
                extract(store, arguments.target)
        except (Wrong, OSError, sqlite3.Error) as error:
            findings.problem(str(error))
        return findings.say()


if __name__ == "__main__":
    sys.exit(main())
