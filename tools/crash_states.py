"""Every state that a power cut may leave of a recorded run, for tools/crash.

The model. A power cut comes before some call. What a sync that had ended was to cover is on disk: of fsync and fdatasync
the bytes, size and mode of that file, or the entries of that folder; of syncfs all below the store's `caches`, which may
be a file system of its own. Any other operation before the cut may be on disk or not, whatever came after it. A write may
be there in part, in whole sectors of 512 or 4096 bytes, or with its length and without its bytes (zeros). Three things are
never: bytes that nobody wrote; half of one operation on names; a name for a file where an earlier one of the same file did
not last.
"""

import hashlib
import random
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Iterator

# These stand beside this file.
from crash_disk import Entry, Operation, Tree, tree, tree_of
from crash_record import Mark, Recording, Unexpected

NEVER = 1 << 60
# What became of one operation: it is left out, or has its length and no bytes, or ("torn", unit, seed), or
# ("lost", pages): only in these pages of 4096 bytes did it last, since they were written once more after a failed sync.
DROPPED, ZEROS = "dropped", "zeros"
Fate = str | tuple
PAGE = 4096
# What need not last of what a repair does, in the store's folder: the lock, and SQLite's scratch files.
PASSING = ("lock", "-wal", "-shm", "-journal")
Content = tuple[bytes, bytes]  # bytes, and their digest


@dataclass(slots=True)
class State:
    """A power cut before call `point`, and what became of the operations that need not last."""

    point: int
    fates: dict[int, Fate] = field(default_factory=dict)


class States:
    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.operations = recording.operations
        self.nodes = recording.base.nodes | recording.new
        self.writes: dict[int, list[int]] = {}  # by file: the operations on its bytes, length and mode
        self.naming: list[int] = []
        self.covered = [NEVER] * len(self.operations)  # by operation: the sync that makes it last
        self.later: dict[int, list[int]] = {}  # by name operation: later ones about the same files
        self.contents: OrderedDict[tuple, Content] = OrderedDict()
        self.lost: list[int] = []  # what a failed sync was to make last
        self.study()
        self.marks = self.promises()

    def study(self) -> None:
        entries = dict(self.recording.base.entries)
        last: dict[int, list[int]] = {}
        waiting: dict[int, list[int]] = {}  # by file or folder: what a sync of it would make last
        self.needs: dict[int, int] = {}  # by name operation: in how many folders it gives names that are not synced
        for number, operation in enumerate(self.operations):
            if operation.kind in ("write", "truncate", "mode"):
                self.writes.setdefault(operation.node, []).append(number)
                waiting.setdefault(operation.node, []).append(number)
            elif operation.kind == "names":
                self.naming.append(number)
                for node in operation.nodes(entries):
                    for earlier in last.setdefault(node, []):
                        self.later.setdefault(earlier, []).append(number)
                    last[node].append(number)
                for entry, node in operation.entries:
                    entries.pop(entry, None) if node is None else entries.__setitem__(entry, node)
                # Where a file gets its new name counts: to sync the folder that it leaves is not enough.
                given = {folder for (folder, _), node in operation.entries if node is not None}
                given = given or {operation.entries[0][0][0]}
                self.needs[number] = len(given)
                for folder in given:
                    waiting.setdefault(folder, []).append(number)
            elif operation.kind == "sync":
                self.cover(waiting.pop(operation.node, []), number)
            elif operation.kind == "lost":
                # Bytes are lost so. Names are not: a file system that cannot write its own journal stops altogether.
                for node in operation.covers:
                    if not self.nodes[node].is_folder:
                        self.lost += waiting.pop(node, [])
            elif operation.kind == "syncfs":
                for node in operation.covers & waiting.keys():
                    self.cover(waiting.pop(node), number)
        self.changing = [n for n, operation in enumerate(self.operations) if operation.kind not in ("mark", "lost")]

    def cover(self, group: list[int], sync: int) -> None:
        for number in group:
            left = self.needs[number] = self.needs.get(number, 1) - 1
            if left == 0:
                self.covered[number] = sync

    def promises(self) -> list[Mark]:
        """By call: what was promised before it."""
        marks, now = [], self.recording.begin
        for operation in self.operations:
            marks.append(now)
            if operation.kind == "mark":
                now = now.after(operation.data)
        return marks + [now]

    def issued(self, point: int) -> int:
        """The newest operation that can have been begun before the call: that of the next promise."""
        now = self.marks[point].acked
        for mark in self.marks[point:]:
            if mark.acked > now:
                return mark.acked
        return NEVER if self.recording.result.code else self.marks[-1].acked

    def pending(self, point: int) -> list[int]:
        """The operations before the call that need not last."""
        return [n for n in self.changing[:bisect_left(self.changing, point)]
                if self.covered[n] >= point and self.operations[n].kind not in ("sync", "syncfs")]

    def require_told_lasts(self) -> None:
        """What a repair tells is durable; with a new index, all that only the old one may have held is as well."""
        began, entries = 0, dict(self.recording.base.entries)
        for point, operation in enumerate(self.operations):
            for entry, node in operation.entries:
                entries.pop(entry, None) if node is None else entries.__setitem__(entry, node)
            if operation.kind != "mark":
                continue
            if operation.data == b"repair\n":
                began = point
            if operation.data not in (b"told\n", b"rebuilt\n"):
                continue
            first = 0 if operation.data == b"rebuilt\n" else began
            names = {node: entry for entry, node in entries.items()}
            for number in self.pending(point):
                if number >= first and not self.passes(self.operations[number], names):
                    raise Unexpected(f"told before it lasts: call {number}: {self.operations[number].words}")

    @staticmethod
    def passes(operation: Operation, names: dict[int, Entry]) -> bool:
        """Whether an operation need not last, by the names that it gives or takes, or that its file has now."""
        given = [entry for entry, node in operation.entries if node is not None]
        touched = given or [entry for entry, _ in operation.entries] or [names[n] for n in [operation.node] if n in names]

        def is_passing(entry: Entry) -> bool:
            parent = names.get(entry[0], (0, ""))[1]
            return parent == "incoming" or parent in ("store", ".stet") and entry[1].endswith(PASSING)

        return all(map(is_passing, touched))

    # What a state looks like.

    def complete(self) -> Tree:
        found = self.build(State(len(self.operations)))
        return {path: (mode, content and content[0]) for path, (mode, content) in found.items()}

    def build(self, state: State) -> dict[str, tuple[int, Content | None]]:
        entries = dict(self.recording.base.entries)
        fates = self.with_consequences(state)
        for number in self.naming:
            if number >= state.point:
                break
            if number in fates:
                continue
            for entry, node in self.operations[number].entries:
                if node is None:
                    entries.pop(entry, None)
                else:
                    entries[entry] = node
        by_node: dict[int, list[tuple[int, Fate]]] = {}
        for number in sorted(fates):
            by_node.setdefault(self.operations[number].node, []).append((number, fates[number]))
        return tree(entries, lambda node: self.content(node, state.point, tuple(by_node.get(node, ()))))

    def with_consequences(self, state: State) -> dict[int, Fate]:
        """An operation on names that does not last takes those along that build on it, where no sync says otherwise."""
        fates = dict(state.fates)
        for number in state.fates:
            for later in self.later.get(number, ()):
                if later < state.point <= self.covered[later]:
                    fates[later] = DROPPED
        return fates

    def content(self, node: int, point: int, fates: tuple[tuple[int, Fate], ...]) -> tuple[int, Content | None]:
        writes = self.writes.get(node, ())
        count = bisect_left(writes, point)
        key = (node, count, fates)
        known = self.contents.get(key)
        if known is None:
            known = self.contents[key] = self.write(node, writes[:count], dict(fates))
            if len(self.contents) > 400:
                self.contents.popitem(last=False)
        return known

    def write(self, node: int, numbers: list[int], fates: dict[int, Fate]) -> tuple[int, Content | None]:
        start = self.nodes[node]
        mode, data = start.mode, bytearray(start.data)
        for number in numbers:
            operation, fate = self.operations[number], fates.get(number)
            if fate == DROPPED:
                continue
            if operation.kind == "mode":
                mode = operation.mode
            elif operation.kind == "truncate":
                if operation.offset < len(data):
                    del data[operation.offset:]
                else:
                    data.extend(bytes(operation.offset - len(data)))
            else:
                overwrite(data, operation.offset, operation.data, fate)
        if start.is_folder:
            return mode, None
        return mode, (bytes(data), hashlib.blake2b(data, digest_size=16).digest())

    @staticmethod
    def key(built: dict[str, tuple[int, Content | None]]) -> bytes:
        """What tells one tree from another."""
        whole = hashlib.blake2b(digest_size=16)
        for path in sorted(built):
            mode, content = built[path]
            whole.update(f"{path}\0{mode}\0".encode(errors="surrogateescape") + (content[1] if content else b""))
        return whole.digest()

    def after_failed_syncs(self) -> list[State]:
        """The power cut at the end, where the system took what it could not sync for synced, and lost it."""
        fates: dict[int, Fate] = {}
        for number in self.lost:
            operation = self.operations[number]
            fates[number] = DROPPED
            if operation.kind == "write":
                later = [self.operations[n] for n in self.writes[operation.node] if n > number]
                fates[number] = ("lost", frozenset(
                    page for other in later if other.kind == "write" for page in pages(other.offset, other.data)))
        end = len(self.operations)
        others = {number: DROPPED for number in self.pending(end) if number not in fates}
        return [State(end, fates), State(end, fates | others)]

    # Which states there are.

    def usual(self) -> Iterator[State]:
        """At each point the few states that most mistakes show in."""
        for point in [*self.changing, len(self.operations)]:
            pending = self.pending(point)
            yield State(point)
            if not pending:
                continue
            names = [n for n in pending if self.operations[n].kind == "names"]
            writes = [n for n in pending if self.operations[n].kind == "write"]
            yield State(point, dict.fromkeys(pending, DROPPED))
            yield State(point, dict.fromkeys(names, DROPPED))
            yield State(point, dict.fromkeys(writes, ZEROS))
            yield State(point, dict.fromkeys(writes, DROPPED))
            for number in pending[-6:]:
                yield State(point, {number: DROPPED})
                yield State(point, {n: DROPPED for n in pending if n != number})
            for number in writes[-2:]:
                yield State(point, {number: ZEROS})
                yield State(point, {number: ("torn", 512, point)})
                yield State(point, {number: ("torn", 4096, point)})

    def chance(self, source: random.Random) -> State:
        """One state drawn by a recipe that is drawn as well."""
        while True:
            point = source.randrange(len(self.operations)) + 1
            if pending := self.pending(point):
                break
        recipe = source.randrange(8)
        if recipe == 0:  # one alone is missing, or two, or three
            chosen = source.sample(pending, min(len(pending), source.randint(1, 3)))
        elif recipe == 1:  # one alone is there, or two, or three
            kept = source.sample(pending, min(len(pending), source.randint(1, 3)))
            chosen = [n for n in pending if n not in kept]
        elif recipe in (2, 3):  # any are missing
            share = source.choice((0.1, 0.5, 0.9))
            chosen = [n for n in pending if source.random() < share]
        elif recipe in (4, 5):  # any of one file or folder are missing, with all others or none
            room = self.room(source.choice(pending))
            share = source.choice((0.3, 0.7, 1))
            chosen = [n for n in pending if self.room(n) == room and source.random() < share]
            if source.random() < 0.5:
                chosen = [n for n in pending if self.room(n) != room] + chosen
        elif recipe == 6:  # the newest are missing, back to some point
            chosen = pending[source.randrange(len(pending)):]
        else:  # what is not torn is there
            chosen = []
        fates: dict[int, Fate] = dict.fromkeys(chosen, DROPPED)
        self.tear(fates, pending, source, always=recipe == 7)
        return State(point, fates)

    def room(self, number: int) -> int:
        operation = self.operations[number]
        return operation.entries[0][0][0] if operation.kind == "names" else operation.node

    def tear(self, fates: dict[int, Fate], pending: list[int], source: random.Random, always: bool) -> None:
        writes = [n for n in pending if self.operations[n].kind == "write" and n not in fates]
        if not writes or not always and source.random() < 0.5:
            return
        for number in source.sample(writes, min(len(writes), source.choice((1, 1, 2, 4)))):
            fates[number] = source.choice(
                (ZEROS, ("torn", 512, source.randrange(1 << 20)), ("torn", 4096, source.randrange(1 << 20))))

    def words(self, state: State) -> list[str]:
        """The state as a person would tell it."""
        at = self.operations[state.point].words if state.point < len(self.operations) else "the end"
        lines = [f"power cut before call {state.point}: {at or 'a mark'}"]
        for number, fate in sorted(self.with_consequences(state).items()):
            how = fate if isinstance(fate, str) else fate[0] + (f" in sectors of {fate[1]}" if fate[0] == "torn" else "")
            lines.append(f"  {how}: call {number}: {self.operations[number].words}")
        return lines if len(lines) < 30 else lines[:15] + [f"  … {len(lines) - 29} more"] + lines[-14:]


def overwrite(data: bytearray, offset: int, new: bytes, fate: Fate | None) -> None:
    """What a write leaves, or a part of it."""
    end = offset + len(new)
    old = len(data)
    if end > old:
        data.extend(bytes(end - old))
    if fate is None:
        data[offset:end] = new
    elif fate[0] == "lost":
        for page in fate[1]:
            begin, stop = max(offset, page * PAGE), min(end, (page + 1) * PAGE)
            if begin < stop:
                data[begin:stop] = new[begin - offset:stop - offset]
    elif isinstance(fate, tuple):
        _, unit, seed = fate
        source = random.Random(seed)
        reached = old
        for sector in range(offset // unit, (end - 1) // unit + 1):
            if source.random() < 0.5:
                begin, stop = max(offset, sector * unit), min(end, (sector + 1) * unit)
                data[begin:stop] = new[begin - offset:stop - offset]
                reached = max(reached, stop)
        # The length may have come with the last sector that did, or with the write.
        if source.random() < 0.5:
            del data[reached:]


def pages(offset: int, data: bytes) -> range:
    return range(offset // PAGE, (offset + len(data) - 1) // PAGE + 1)


def require_whole(states: States) -> None:
    """All that was recorded, done again, gives what is there: nothing was missed."""
    wanted, found = tree_of(states.recording.folder), states.complete()
    for path in sorted(wanted.keys() | found.keys()):
        if wanted.get(path) != found.get(path):
            raise Unexpected(f"the recording misses something of {path}")
