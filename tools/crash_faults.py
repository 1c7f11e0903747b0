"""Makes each call of a scenario fail, once and from then on, and checks what is left, for tools/crash.

Calls are told apart by where they are made: by the return addresses that lie on the stack. Of each such place the first
call is made to fail, and another one drawn from the rest. One is named by its number among the calls of its name: random
names and numbers make one run's calls differ a little from another's.
"""

import errno
import os
import shutil
import struct
from collections import Counter
from typing import TYPE_CHECKING

# These stand beside this file.
import traced
from crash_check import Checker, built_of, materialise, remove
from crash_record import CALLS, Mark, record
from crash_states import NEVER, States

if TYPE_CHECKING:
    from crash_runs import Options, Tally

SHORT = -1  # no error: a write of half the bytes
NAMES = (errno.EIO, errno.ENOSPC, errno.EROFS)
# What each call can fail with.
ERRORS: dict[str, tuple[int, ...]] = {
    "open": (errno.EMFILE, errno.EIO, errno.ENOSPC, errno.EROFS, errno.EINTR),
    "write": (errno.EIO, errno.ENOSPC, errno.EINTR, SHORT),
    "read": (errno.EIO, errno.EINTR),
    "ftruncate": (errno.EIO, errno.ENOSPC, errno.EINTR),
    "sync": (errno.EIO, errno.ENOSPC, errno.EINTR),
    "name": NAMES,
    "unlink": (errno.EIO, errno.EROFS),
    "look": (errno.EIO,),
    "flock": (errno.EINTR,),
}
KINDS = {
    "open": "open openat", "write": "pwrite64", "read": "read pread64", "ftruncate": "ftruncate",
    "sync": "fsync fdatasync syncfs", "name": "rename renameat renameat2 link linkat mkdir mkdirat",
    "unlink": "unlink unlinkat rmdir chmod fchmod",
    "look": "stat fstat lstat newfstatat statx getdents64 faccessat faccessat2 access readlink", "flock": "flock",
}
KIND = {call: kind for kind, names in KINDS.items() for call in names.split()}
TRACED = tuple(sorted({*KIND, *CALLS}))
SYNCS = KINDS["sync"].split()
REPEATS = 5  # a call that is interrupted for ever would be made again for ever
PATIENCE = 40  # seconds
STACK = 8 << 10  # bytes of it that tell a place


class Sites:
    """Finds the places that calls are made from."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self.text: tuple[int, int] | None = None  # where the program's own code lies
        self.found: dict[tuple[str, int, bool], list[int]] = {}  # by call, place, and whether it may write
        self.numbers: Counter[str] = Counter()

    def every(self, stop: traced.Stop) -> None:
        if stop.call in KIND and is_below(self.root, stop):
            key = (stop.call, self.place(stop), self.writes(stop))
            self.found.setdefault(key, []).append(self.numbers[stop.call])
            self.numbers[stop.call] += 1

    @staticmethod
    def writes(stop: traced.Stop) -> bool:
        if KIND[stop.call] != "open":
            return True
        return bool(stop.values()[2 if stop.call == "openat" else 1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))

    def place(self, stop: traced.Stop) -> int:
        pointer = stop.stack()
        begin, end = self.text = self.text or self.code_of(stop.thread)
        words = stop.memory(pointer, STACK)
        values = struct.unpack(f"{len(words) // 8}Q", words[:len(words) // 8 * 8])
        return hash(tuple(value - begin for value in values if begin <= value < end))

    @staticmethod
    def code_of(thread: int) -> tuple[int, int]:
        program = os.readlink(f"/proc/{thread}/exe")
        with open(f"/proc/{thread}/maps") as maps:
            ranges = [line.split()[0].split("-") for line in maps if line.split()[1][2] == "x" and program in line]
        return int(ranges[0][0], 16), int(ranges[-1][1], 16)


class Fault:
    """Makes one call fail, and with `lasting` all later ones of its kind."""

    def __init__(self, root: str, call: str, number: int, error: int, lasting: bool) -> None:
        self.root, self.call, self.number = os.path.realpath(root), call, number
        self.error, self.lasting = error, lasting
        self.count = self.times = 0
        self.words = ""

    def __call__(self, stop: traced.Stop) -> None:
        if self.words:
            limit = 0 if not self.lasting else REPEATS if self.error == errno.EINTR else self.times + 1
            if self.times >= limit or KIND.get(stop.call) != KIND[self.call] or not is_below(self.root, stop):
                return
        else:
            if stop.call != self.call or not is_below(self.root, stop):
                return
            number, self.count = self.count, self.count + 1
            if number != self.number:
                return
            self.words = stop.words()
        self.times += 1
        if self.error == SHORT:
            length = stop.values()[2]
            if length > 1:
                stop.shorten(length // 2)
        else:
            stop.fail(self.error)


def is_below(root: str, stop: traced.Stop) -> bool:
    return any(path.startswith(root) for path in stop.paths())


def faults(options: "Options", room: str, tally: "Tally") -> None:
    from crash_runs import begin

    folder, promised = begin(options, room)
    before = built_of(folder)
    counted = os.path.join(room, "counted")
    materialise(before, counted, folder)
    sites = Sites(counted)
    command = [options.binary, "act", options.scenario]
    traced.run([*command, counted], every=sites.every, calls=TRACED)
    source = options.source()
    todo = []
    for (call, _, writes), numbers in sites.found.items():
        if options.calls and call not in options.calls:
            continue
        errors = [error for error in ERRORS[KIND[call]] if writes or error not in (errno.ENOSPC, errno.EROFS)]
        for number in numbers[:1] + (source.sample(numbers[1:], 1) if len(numbers) > 1 else []):
            todo += [(call, number, error, lasting) for error in errors for lasting in (False, True)]
    tally.calls = len(sites.found)
    first = source.randrange(options.every)
    checker = Checker(options.binary)
    for call, number, error, lasting in todo[first::options.every]:
        if tally.bad >= options.enough:
            break
        tally.states += 1
        target = os.path.join(room, "fault")
        materialise(before, target, folder)
        fault = Fault(target, call, number, error, lasting)
        why, cut = try_one(options, checker, target, promised, fault)
        if why:
            kind = why.partition(" ")[0]
            name = "half of it is written" if error == SHORT else errno.errorcode[error]
            told = tally.fail(kind, [
                f"{options.scenario}, seed {options.seed}: {why}",
                f"  {call} {number}: {name}{', and from then on' if lasting else ''}: "
                + fault.words.replace(target + "/", ""), *cut])
            if told:
                kept = os.path.join(options.keep, f"stet-crash-faults-{options.scenario}-{options.seed}-{tally.bad}")
                remove(kept)
                shutil.move(target, kept)
                tally.failures.append(f"  kept in {kept}")
    checker.close()


def try_one(
    options: "Options", checker: Checker, target: str, begin: Mark, fault: Fault
) -> tuple[str, list[str]]:
    """Runs the scenario with the fault. Returns what is wrong afterwards, and the power cut that shows it."""
    recording = record(options.binary, "act", options.scenario, target, begin, fault, TRACED, PATIENCE)
    result = recording.result
    if result.timed_out:
        return "stuck does not end", []
    if result.signal is not None:
        return f"stuck ends by signal {result.signal}: {result.errors[-300:].decode(errors='replace')}", []
    plan = States(recording)
    cuts = plan.after_failed_syncs() if plan.lost else []
    # Before the real folder is changed by its check.
    built = [plan.build(cut) for cut in cuts]
    promised = plan.marks[-1]
    checker.ask(options.scenario, target, promised, NEVER, "-")
    if why := checker.answer():
        return why, []
    for state, cut in zip(built, cuts):
        folder = target + "-cut"
        materialise(state, folder, target)
        checker.ask(options.scenario, folder, promised, NEVER, "-")
        if why := checker.answer():
            return f"{why} (power cut after a failed sync)", plan.words(cut)
    return "", []
