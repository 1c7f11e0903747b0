"""Makes each call of a scenario fail, once and from then on, and checks what is left, for tools/crash.

Calls are told apart by where they are made: by the return addresses that lie on the stack. Of each such place the first
call is made to fail, and another one drawn from the rest.
"""

import errno
import os
import random
import struct
from typing import TYPE_CHECKING

# These stand beside this file.
import traced
from crash_check import Checker, copy, materialise, remove, store_of
from crash_record import CALLS, Mark, Unexpected, record
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
        self.root, self.text = os.path.realpath(root), {}
        self.found: dict[tuple, list[int]] = {}  # by place: the stops
        self.calls: dict[int, tuple[str, bool]] = {}  # by stop: the call, and whether it may write
        self.number = 0

    def every(self, stop: traced.Stop) -> None:
        number, self.number = self.number, self.number + 1
        if stop.call not in KIND or not self.is_here(stop):
            return
        self.calls[number] = (stop.call, self.writes(stop))
        self.found.setdefault((stop.call, self.place(stop)), []).append(number)

    def is_here(self, stop: traced.Stop) -> bool:
        return any(path.startswith(self.root) for path in stop.paths())

    @staticmethod
    def writes(stop: traced.Stop) -> bool:
        if KIND[stop.call] != "open":
            return True
        return bool(stop.values()[2 if stop.call == "openat" else 1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))

    def place(self, stop: traced.Stop) -> int:
        pointer = stop.stack()
        begin, end = self.range(stop.thread)
        words = stop.memory(pointer, STACK)
        values = struct.unpack(f"{len(words) // 8}Q", words[:len(words) // 8 * 8])
        return hash(tuple(value - begin for value in values if begin <= value < end))

    def range(self, thread: int) -> tuple[int, int]:
        """Where the program's own code lies."""
        process = thread if thread in self.text else next(iter(self.text), None)
        if process is None:
            with open(f"/proc/{thread}/maps") as maps:
                program = os.readlink(f"/proc/{thread}/exe")
                ranges = [line.split()[0].split("-") for line in maps if line.split()[1][2] == "x" and program in line]
            self.text[thread] = int(ranges[0][0], 16), int(ranges[-1][1], 16)
            process = thread
        return self.text[process]


class Fault:
    """Makes one call fail, and with `lasting` all later ones of its kind."""

    def __init__(self, root: str, number: int, error: int, lasting: bool) -> None:
        self.root, self.number, self.error, self.lasting = os.path.realpath(root), number, error, lasting
        self.count = self.times = 0
        self.call = self.words = ""

    def __call__(self, stop: traced.Stop) -> None:
        number, self.count = self.count, self.count + 1
        if number == self.number:
            self.call, self.words = stop.call, stop.words()
        elif not self.lasting or not self.call or KIND.get(stop.call) != KIND[self.call]:
            return
        elif self.error == errno.EINTR and self.times >= REPEATS:
            return
        elif not any(path.startswith(self.root) for path in stop.paths()):
            return
        self.times += 1
        if self.error == SHORT:
            length = stop.values()[2]
            if length > 1:
                stop.shorten(length // 2)
        else:
            stop.fail(self.error)


def faults(options: "Options", room: str, tally: "Tally") -> None:
    from crash_runs import prepare

    folder, begin = prepare(options, room)
    counted = os.path.join(room, "counted")
    copy(folder, counted)
    sites = Sites(counted)
    command = [options.binary, "act", options.scenario]
    traced.run([*command, counted], every=sites.every, calls=TRACED)
    source = options.source()
    todo = []
    for stops in sites.found.values():
        chosen = stops[:1] + (source.sample(stops[1:], 1) if len(stops) > 1 else [])
        for number in chosen:
            call, writes = sites.calls[number]
            errors = [error for error in ERRORS[KIND[call]] if writes or error not in (errno.ENOSPC, errno.EROFS)]
            todo += [(number, error, lasting) for error in errors for lasting in (False, True)]
    tally.calls = len(sites.found)
    todo.sort()
    first = source.randrange(options.every)
    checker = Checker(options.binary)
    for number, error, lasting in todo[first::options.every]:
        if tally.bad > 300:
            break
        tally.states += 1
        target = os.path.join(room, "fault")
        copy(folder, target)
        fault = Fault(target, number, error, lasting)
        why, cut = try_one(options, checker, target, begin, fault)
        if why:
            kind = why.partition(" ")[0]
            name = "half of it is written" if error == SHORT else errno.errorcode[error]
            told = tally.fail(kind, [
                f"{options.scenario}, seed {options.seed}: {why}",
                f"  stop {number}: {name}{', and from then on' if lasting else ''}: "
                + fault.words.replace(target + "/", ""), *cut])
            if told:
                kept = os.path.join(options.keep, f"stet-crash-faults-{options.scenario}-{options.seed}-{tally.bad}")
                remove(kept)
                os.rename(target, kept)
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
    for number, state in enumerate(built):
        cut = target + f"-cut-{number}"
        materialise(state, cut, target)
        checker.ask(options.scenario, cut, promised, NEVER, "-")
        if why := checker.answer():
            return f"{why} (power cut after a failed sync)", plan.words(cuts[number])
    checker.ask(options.scenario, target, promised, NEVER, "-")
    return checker.answer(), []
