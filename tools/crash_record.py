"""Records what a run of stet-crash changes on disk, call by call, for tools/crash.

Every call is looked at where it begins and where it ends, so that one that failed, or wrote less, counts for what it did.
"""

import fcntl
import os
import re
import stat
from dataclasses import dataclass, field

# These stand beside this file.
import traced
from crash_disk import Disk, Entry, Node, Operation, is_memory, read_disk

# The calls that a run may make to change something; another one ends the recording, for it would be missed.
WRITING = ("write", "pwrite64", "ftruncate", "fsync", "fdatasync", "syncfs", "fchmod", "flock")
FOREIGN = ("writev", "pwritev", "truncate", "fallocate", "copy_file_range", "sendfile", "symlink", "symlinkat", "openat2")
NAMING = ("open", "creat", "openat", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir",
          "mkdirat", "rmdir", "chmod", "fchmodat", "fchmodat2")
CALLS = WRITING + FOREIGN + NAMING

_CURRENT = -100
_EXCHANGE = 2  # RENAME_EXCHANGE
# What may only be changed under the lock of its store.
LOCKED = re.compile(r"(.*)/(index\.sqlite(-wal|-journal)?|oplog/.*\.log)")
MARK = re.compile(rb"(ack|backup) (\d+) ([0-9a-f]{16})\n")
# A repair begins, has done a step, and has made the index anew: of these `crash_states` sees what lasts.
REPAIR = (b"repair\n", b"told\n", b"rebuilt\n")


class Unexpected(Exception):
    """Something that the recorder does not know, or that the run should not do."""


@dataclass(slots=True)
class Mark:
    """What is promised: the newest operation with the check of its record, and the newest one in a finished backup."""

    acked: int = 0
    check: str = "-"
    backed: int = 0

    def after(self, line: bytes) -> "Mark":
        if line in REPAIR:
            return self
        match = MARK.fullmatch(line)
        if not match:
            raise Unexpected(f"a mark that is none: {line!r}")
        number, check = int(match[2]), match[3].decode()
        return Mark(self.acked, self.check, number) if match[1] == b"backup" else Mark(number, check, self.backed)


@dataclass(slots=True)
class Recording:
    """A complete run: what was there, what was done, and the folder as it was afterwards."""

    scenario: str
    folder: str
    base: Disk
    operations: list[Operation]
    begin: Mark
    result: traced.Result
    new: dict[int, Node] = field(default_factory=dict)  # made by the run; without bytes


class Recorder:
    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self.base, self.numbers = read_disk(self.root)
        self.new: dict[int, Node] = {}
        self.operations: list[Operation] = []
        self.entries = dict(self.base.entries)
        self.count = len(self.numbers)
        self.held: set[int] = set()  # the files that are locked
        self.turns: set[int] = set()  # the folders that were locked for a flush which has not synced yet

    # At the beginning of a call: what cannot be told any more at its end.

    def every(self, stop: traced.Stop) -> None:
        values = stop.values()
        if stop.call in ("open", "creat", "openat"):
            shift = 1 if stop.call == "openat" else 0
            flags = os.O_CREAT | os.O_TRUNC if stop.call == "creat" else values[1 + shift]
            if not flags & (os.O_CREAT | os.O_TRUNC):
                stop.seen = None
                return
            path = self.path(stop, values[0] if shift else _CURRENT, values[shift])
            stop.seen = (path, os.path.lexists(path), flags)
        elif stop.call in WRITING:
            stop.seen = (self.node(stop.thread, values[0]), values)
        elif stop.call in NAMING:
            stop.seen = self.names(stop, values)
        elif any(path.startswith(self.root) for path in stop.paths()):
            raise Unexpected(f"a call that is not known: {stop.words()}")
        else:
            stop.seen = None

    def names(self, stop: traced.Stop, values: tuple[int, ...]) -> tuple:
        """The paths of a call with names, the second one None where it has none, and its flags."""
        call, flags = stop.call, 0
        if call in ("rename", "link"):
            paths = [self.path(stop, _CURRENT, values[0]), self.path(stop, _CURRENT, values[1])]
        elif call in ("renameat", "renameat2", "linkat"):
            paths = [self.path(stop, values[0], values[1]), self.path(stop, values[2], values[3])]
            flags = values[4] if call == "renameat2" else 0
        elif call.endswith("at") or call == "fchmodat2":
            paths = [self.path(stop, values[0], values[1]), None]
            flags = values[2]
        else:
            paths = [self.path(stop, _CURRENT, values[0]), None]
            flags = values[1]
        return paths[0], paths[1], flags

    def path(self, stop: traced.Stop, folder: int, address: int) -> str:
        text = os.fsdecode(stop.memory(address, 4096).split(b"\0")[0])
        if not text.startswith("/"):
            current = folder & 0xFFFFFFFF == _CURRENT & 0xFFFFFFFF
            base = os.readlink(f"/proc/{stop.thread}/cwd" if current else f"/proc/{stop.thread}/fd/{folder & 0xFFFFFFFF}")
            text = base + "/" + text
        parent, name = os.path.split(text)
        return os.path.join(os.path.realpath(parent), name)

    def node(self, thread: int, descriptor: int) -> int | None:
        """The number of an open file; None where it lies elsewhere, -1 for the marks."""
        descriptor &= 0xFFFFFFFF
        if descriptor == 1:
            return -1
        status = os.stat(f"/proc/{thread}/fd/{descriptor}")
        number = self.numbers.get((status.st_dev, status.st_ino))
        if number is None:
            path = os.readlink(f"/proc/{thread}/fd/{descriptor}")
            if path.startswith(self.root + "/") and not is_memory(path):
                raise Unexpected(f"a file that was never made: {path}")
        return number

    # At its end.

    def after(self, stop: traced.Stop, result: int) -> None:
        if stop.seen is None:
            return
        if result < 0:
            if stop.call in ("fsync", "fdatasync", "syncfs") and (number := stop.seen[0]) is not None:
                covers = self.file_system(self.file(stop)) if stop.call == "syncfs" else {number}
                self.add("lost", f"{stop.call} fails", covers=frozenset(covers))
            return
        if stop.call in ("open", "creat", "openat"):
            self.opened(stop, result)
        elif stop.call in WRITING:
            self.wrote(stop, result)
        else:
            self.named(stop)

    def add(self, kind: str, words: str, **what) -> None:
        self.operations.append(Operation(kind, words, **what))

    def short(self, path: str) -> str:
        return path.removeprefix(self.root + "/")

    def opened(self, stop: traced.Stop, descriptor: int) -> None:
        path, was_there, flags = stop.seen
        if not self.is_inside(path):
            return
        if not was_there:
            self.made(path, f"create {self.short(path)}")
        elif flags & os.O_TRUNC:
            self.add("truncate", f"empty {self.short(path)}", node=self.node(stop.thread, descriptor))

    def is_inside(self, path: str) -> bool:
        return path.startswith(self.root + "/") and not is_memory(path)

    def made(self, path: str, words: str) -> None:
        status = os.lstat(path)
        number, self.count = self.count, self.count + 1
        self.numbers[status.st_dev, status.st_ino] = number
        self.new[number] = Node(stat.S_ISDIR(status.st_mode), stat.S_IMODE(status.st_mode))
        self.set_names(words, {self.entry(path): number})

    def entry(self, path: str) -> Entry:
        parent, name = os.path.split(path)
        status = os.stat(parent)
        return self.numbers[status.st_dev, status.st_ino], name

    def set_names(self, words: str, entries: dict[Entry, int | None]) -> None:
        self.add("names", words, entries=tuple(entries.items()))
        for entry, number in entries.items():
            if number is None:
                self.entries.pop(entry, None)
            else:
                self.entries[entry] = number

    def wrote(self, stop: traced.Stop, result: int) -> None:
        number, values = stop.seen
        if number is None:
            return
        if number == -1:
            if stop.call == "write":
                self.add("mark", "", data=stop.memory(values[1], result))
            return
        path = self.file(stop)
        if stop.call == "write":
            raise Unexpected(f"a write without a place: {path}")
        if stop.call in ("pwrite64", "ftruncate"):
            self.require_lock(f"{self.root}/{path}")
        if stop.call == "flock":
            self.locked(number, path, values[1])
        elif stop.call == "pwrite64":
            words = f"write {path}, {result} bytes at {values[3]}"
            self.add("write", words, node=number, offset=values[3], data=stop.memory(values[1], result))
        elif stop.call == "ftruncate":
            self.add("truncate", f"cut {path} to {values[1]}", node=number, offset=values[1])
        elif stop.call == "fchmod":
            self.add("mode", f"set the mode of {path}", node=number, mode=values[1] & 0o7777)
        elif stop.call == "syncfs":
            self.add("syncfs", "sync the file system", covers=self.file_system(path))
        else:
            self.add("sync", f"sync {path}", node=number)

    def file(self, stop: traced.Stop) -> str:
        """The name of the open file that a call is about."""
        try:
            return self.short(os.readlink(f"/proc/{stop.thread}/fd/{stop.seen[1][0] & 0xFFFFFFFF}"))
        except OSError:
            return f"file {stop.seen[0]}"

    # One writer at a time.

    def locked(self, number: int, path: str, operation: int) -> None:
        if operation & fcntl.LOCK_UN:
            self.held.discard(number)
        else:
            (self.turns if os.path.basename(path) == "oplog" else self.held).add(number)

    def require_lock(self, path: str) -> None:
        if "/set-aside/" not in path and (match := LOCKED.fullmatch(path)) and self.number(match[1] + "/lock") not in self.held:
            raise Unexpected(f"{self.short(path)} is changed without the store's lock")

    def number(self, path: str) -> int | None:
        if not os.path.lexists(path):
            return None
        status = os.lstat(path)
        return self.numbers.get((status.st_dev, status.st_ino))

    def file_system(self, path: str) -> frozenset[int]:
        """What a sync of the file system makes last: all below a store's `caches`, which may be one of its own."""
        store, caches, _ = path.partition("/caches/")
        if not caches:
            raise Unexpected(f"a sync of the file system from {path}")
        store = f"{self.root}/{store}"
        turn = self.number(store + "/oplog")
        if turn not in self.turns and self.number(store + "/lock") not in self.held:
            raise Unexpected("a flush syncs without its turn")
        self.turns.discard(turn)
        found, waiting = set(), [self.number(store + "/caches")]
        while waiting:
            found.add(folder := waiting.pop())
            waiting += [node for (parent, _), node in self.entries.items() if parent == folder]
        return frozenset(found)

    def named(self, stop: traced.Stop) -> None:
        path, target, flags = stop.seen
        words = " ".join([stop.call, self.short(path)] + ([self.short(target)] if target else []))
        if target and self.is_inside(path) != self.is_inside(target):
            raise Unexpected(f"out of the folder, or into it: {words}")
        if not self.is_inside(path):
            return
        for name in (path, target or path):
            self.require_lock(name)
        if stop.call in ("mkdir", "mkdirat"):
            self.made(path, words)
        elif stop.call in ("chmod", "fchmodat", "fchmodat2"):
            status = os.stat(path)
            number = self.numbers[status.st_dev, status.st_ino]
            self.add("mode", words, node=number, mode=stat.S_IMODE(status.st_mode))
        elif stop.call in ("unlink", "unlinkat", "rmdir"):
            self.set_names(words, {self.entry(path): None})
        else:
            source, there = self.entry(path), self.entry(target)
            number = self.entries[source]
            if stop.call in ("link", "linkat"):
                self.set_names(words, {there: number})
            elif flags & _EXCHANGE:
                self.set_names(words + " (exchange)", {source: self.entries[there], there: number})
            else:
                self.set_names(words, {source: None, there: number})


def record(
    binary: str, command: str, scenario: str, folder: str, begin: Mark, act: traced.Act | None = None,
    calls: tuple[str, ...] = CALLS, patience: float = 60,
) -> Recording:
    """Runs a scenario, or what comes after a crash in it, in `folder`, and records it.

    `act` is called at the beginning of each of `calls`, after it was looked at; it may make it fail.
    """
    recorder = Recorder(folder)

    def every(stop: traced.Stop) -> None:
        if stop.call in CALLS:
            recorder.every(stop)
        if act is not None:
            act(stop)

    result = traced.run(
        [binary, command, scenario, folder], every=every, after=recorder.after, calls=calls, timeout=patience)
    return Recording(scenario, folder, recorder.base, recorder.operations, begin, result, recorder.new)
