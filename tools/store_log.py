"""The operation log of a Stet store, read from docs/format.md alone; a part of read-store.py."""

import hashlib
import os
import re
import stat
import sys
from dataclasses import dataclass, field
from typing import BinaryIO, Callable, Iterator

MAGIC = b"stetlog1"
SEGMENT_END = 1_048_576  # a record begins before this byte of its segment
LARGEST_SEGMENT = 1 << 28  # more than any writer makes; a reader need not believe in a larger one
SCANNED = 4 * SEGMENT_END  # how far behind a damaged record another one is looked for
HEAD, CHECK = 20, 8  # bytes of a record before and after its payload


class Wrong(Exception):
    """Something in the store breaks the page, in words."""


class Newer(Wrong):
    """The store has a format that this reader does not know: nothing of it may be believed."""


class Findings:
    """What is to be said about the store, without repetition."""

    def __init__(self) -> None:
        self.problems: dict[str, None] = {}
        self.notes: dict[str, None] = {}

    def problem(self, text: str) -> None:
        self.problems[text] = None

    def note(self, text: str) -> None:
        self.notes[text] = None

    def say(self) -> int:
        """Prints all to standard error; the exit code."""
        for text in self.notes:
            print(f"note: {text}", file=sys.stderr)
        for text in self.problems:
            print(f"problem: {text}", file=sys.stderr)
        return 1 if self.problems else 0


def device_name(device: bytes) -> str:
    return "d" + device.hex()


def open_regular(path: str) -> BinaryIO:
    """Opens a file for reading; a link, a pipe or a device is refused and not waited for."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise Wrong(f"{path!a} is no regular file")
    return file


@dataclass(slots=True)
class Record:
    """One record of a log, its check already proved."""

    sequence: int
    previous: bytes
    payload: bytes
    check: bytes

    @property
    def raw(self) -> bytes:
        """The record's bytes as they stand in the log."""
        head = len(self.payload).to_bytes(4, "little") + self.sequence.to_bytes(8, "little") + self.previous
        return head + self.payload + self.check

    @property
    def size(self) -> int:
        return HEAD + len(self.payload) + CHECK


@dataclass(slots=True)
class DeviceLog:
    """The records of one device, where the next one would stand, and what the log has there that is no record."""

    device: bytes
    records: list[Record] = field(default_factory=list)
    segment: int = 1
    end: int = 16
    tail: bytes = b""
    places: list[tuple[int, int]] = field(default_factory=list)  # segment and offset of each record

    def add(self, record: Record, segment: int, offset: int) -> None:
        """Appends a record, which must follow the one before."""
        before = self.records[-1].check if self.records else bytes(8)
        if record.sequence != len(self.records) + 1 or record.previous != before:
            raise Wrong(f"the record at byte {offset} of segment {segment} of {device_name(self.device)} "
                        "does not follow the one before it")
        if offset >= SEGMENT_END:
            raise Wrong(f"a record of {device_name(self.device)} begins at byte {offset} of segment {segment}")
        self.records.append(record)
        self.places.append((segment, offset))
        self.segment, self.end = segment, offset + record.size

    def next_place(self) -> tuple[int, int]:
        return (self.segment, self.end) if self.end < SEGMENT_END else (self.segment + 1, 16)


def parse_record(data: bytes | memoryview, at: int) -> Record | None:
    """The record at an offset, or nothing where none with a right check stands."""
    size = HEAD + int.from_bytes(data[at:at + 4], "little") + CHECK
    if len(data) - at < HEAD + CHECK or len(data) - at < size:
        return None
    raw = bytes(data[at:at + size])
    if hashlib.sha256(raw[:-CHECK]).digest()[:8] != raw[-CHECK:]:
        return None
    return Record(int.from_bytes(raw[4:12], "little"), raw[12:HEAD], raw[HEAD:-CHECK], raw[-CHECK:])


def record_follows(tail: bytes, sequence: int) -> bool:
    """Whether a later record stands whole somewhere behind one that does not: then that one is damaged, not torn."""
    budget = LARGEST_SEGMENT  # bytes to hash at most, whatever a forged log says
    view = memoryview(tail)[:SCANNED]
    for at in range(1, len(view) - HEAD - CHECK + 1):
        if not sequence < int.from_bytes(view[at + 4:at + 12], "little") <= sequence + at // (HEAD + CHECK) + 1:
            continue
        size = HEAD + int.from_bytes(view[at:at + 4], "little") + CHECK
        if size > len(view) - at:
            continue
        budget -= size
        if budget < 0 or parse_record(view, at):
            return True
    return False


def is_torn(tail: bytes, sequence: int) -> bool:
    """Whether these bytes after the last whole record are what an interrupted append leaves."""
    size = HEAD + int.from_bytes(tail[:4], "little") + CHECK
    nothing_follows = not any(tail) or len(tail) < HEAD or not any(tail[size:])
    return nothing_follows and not record_follows(tail, sequence)


def read_segment(log: DeviceLog, path: str, number: int, last: bool, findings: Findings) -> None:
    """Adds the records of one segment to its device's log. Raises where the log cannot be read any further."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > LARGEST_SEGMENT:
            raise Wrong(f"{path!a} has {size} bytes, more than any segment")
        data = file.read(size)
    head = MAGIC + log.device
    if last and (not any(data) or len(data) < 16 and head.startswith(data)):
        return findings.note(f"{path!a} was only begun")
    if data[:16] != head:
        raise Wrong(f"{path!a} does not begin as a segment of its device")
    at = 16
    while record := parse_record(data, at):
        log.add(record, number, at)
        at += record.size
    tail = data[at:]
    log.tail = tail[:SCANNED]
    if tail and not (last and is_torn(tail, len(log.records) + 1)):
        raise Wrong(f"{path!a} is damaged at byte {at}")
    if tail:
        findings.note(f"the last record of {path!a}, at byte {at}, was not written to its end and does not count")


def read_device(folder: str, device: bytes, findings: Findings) -> DeviceLog:
    """All that can be read of one device's log; the first thing that is wrong ends it."""
    log = DeviceLog(device)
    names = sorted(os.listdir(folder))
    for place, name in enumerate(names, 1):
        if name != f"{place:08}.log":
            findings.problem(f"{os.path.join(folder, name)!a} stands where {place:08}.log is expected")
            break
        try:
            if place > 1 and log.next_place() != (place, 16):
                raise Wrong(f"segment {place} of {device_name(device)} follows one that is not full")
            read_segment(log, os.path.join(folder, name), place, place == len(names), findings)
        except (Wrong, OSError) as error:
            findings.problem(str(error))
            break
    return log


def read_logs(store: str, findings: Findings) -> dict[bytes, DeviceLog]:
    """The logs of all devices, each by itself."""
    logs = {}
    folder = os.path.join(store, "oplog")
    for name in sorted(os.listdir(folder)):
        if not re.fullmatch("d[0-9a-f]{16}", name):
            findings.problem(f"oplog/{name!a} is no device")
            continue
        device = bytes.fromhex(name[1:])
        try:
            logs[device] = read_device(os.path.join(folder, name), device, findings)
        except OSError as error:
            findings.problem(str(error))
    return logs


class Fields:
    """Takes a payload apart."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise Wrong("its payload ends too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80 and value < 1 << 64:
                return value
        raise Wrong("a number has more than 64 bits")

    def time(self) -> int:
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def counted(self, item: Callable[[], object]) -> list:
        """A count and so many items; each has a byte at least, so a count beyond the payload is noticed first."""
        count = self.number()
        if count > len(self.data) - self.at:
            raise Wrong("a count is more than its payload holds")
        return [item() for _ in range(count)]

    def text(self) -> str:
        try:
            return self.take(self.number()).decode("utf-8")
        except UnicodeDecodeError:
            raise Wrong("a name or label is not UTF-8") from None

    def end(self) -> None:
        if self.at != len(self.data):
            raise Wrong(f"its payload has {len(self.data) - self.at} bytes too many")


def parse_begin(log: DeviceLog) -> tuple[bytes, bytes, int, bytes]:
    """What a device's first record says: store id, previous device, its last sequence and check."""
    fields = Fields(log.records[0].payload)
    if fields.byte() != 1:
        raise Wrong("it is no begin")
    fields.time()
    found = (fields.take(16), fields.take(8), fields.number(), fields.take(8))
    fields.end()
    return found


def chain(logs: dict[bytes, DeviceLog], findings: Findings) -> Iterator[DeviceLog]:
    """The devices in the order in which they wrote."""
    begins, followers = {}, {}
    for log in logs.values():
        try:
            if log.records:
                begins[log.device] = parse_begin(log)
                followers.setdefault(begins[log.device][1], []).append(log)
        except Wrong as error:
            findings.problem(f"the first record of {device_name(log.device)}: {error}")
    before, reached = DeviceLog(bytes(8)), 0
    while before.device in followers:
        log, *others = followers[before.device]
        store, _, sequence, check = begins[log.device]
        if others:
            return findings.problem(f"several devices follow {device_name(before.device)}: the log has branches")
        if (sequence, check) != (len(before.records), before.records[-1].check if before.records else bytes(8)):
            return findings.problem(f"{device_name(log.device)} does not go on where {device_name(before.device)} ends")
        if reached and store != begins[before.device][0]:
            return findings.problem(f"{device_name(log.device)} belongs to another store")
        before, reached = log, reached + 1
        yield log
    if reached < len(begins):
        findings.problem(f"{len(begins) - reached} devices are not in the chain that begins with the first device")
