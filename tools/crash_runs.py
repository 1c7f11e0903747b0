"""The parts of tools/crash: states, inside, faults. Each plays one scenario and counts what it found."""

import os
import random
import subprocess
import sys
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Iterator

# These stand beside this file.
import crash_faults
from crash_check import Checker, built_of, identify, materialise, prepare, remove, store_of
from crash_record import Mark, Unexpected, record
from crash_states import State, States, require_whole

PARTS = ("states", "inside", "faults")
# How a failure is counted: as what the check calls it.
KINDS = ("lost", "half-applied", "dangling", "false-clean", "stuck", "alarm")
READER_EVERY = 400  # of so many states one is read by the independent reader as well
TOLD = 2  # failures of each kind in a scenario that are told and kept; the rest is counted


@dataclass(slots=True)
class Options:
    what: str
    scenario: str
    binary: str
    folder: str
    seed: int
    states: int
    inside: int
    every: int
    keep: str
    enough: int  # failures of one scenario: then it ends
    calls: tuple[str, ...]  # faults: of these calls alone; none means all

    def source(self) -> random.Random:
        return random.Random(f"{self.seed} {self.what} {self.scenario}")


@dataclass(slots=True)
class Tally:
    """What came of a scenario."""

    scenario: str
    calls: int = 0
    states: int = 0  # different trees, or faults
    read: int = 0  # by the independent reader
    wrong: Counter = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0

    @staticmethod
    def head(what: str) -> str:
        return f"{what:14}{'calls':>7}{'tried':>8}" + "".join(f"{kind:>13}" for kind in KINDS) + f"{'read':>6}{'s':>6}"

    @property
    def bad(self) -> int:
        return self.wrong.total()

    def row(self) -> str:
        return (f"{self.scenario:14}{self.calls:7}{self.states:8}" + "".join(f"{self.wrong[kind]:13}" for kind in KINDS)
                + f"{self.read:6}{self.seconds:6.0f}")

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.scenario, self.calls + other.calls, self.states + other.states, self.read + other.read,
                     self.wrong + other.wrong, [], self.seconds + other.seconds)

    def fail(self, kind: str, lines: list[str]) -> bool:
        """Counts a failure. Returns whether it is one of those that are told."""
        kind = kind if kind in KINDS else "stuck"
        self.wrong[kind] += 1
        if self.wrong[kind] > TOLD:
            return False
        self.failures += lines
        return True


def run_part(options: Options) -> Tally:
    tally, began = Tally(options.scenario), time.monotonic()
    room = os.path.join(options.folder, f"{options.what}-{options.scenario}")
    os.mkdir(room)
    try:
        {"states": states, "inside": inside, "faults": crash_faults.faults}[options.what](options, room, tally)
    except Unexpected as error:
        tally.fail("stuck", [f"{options.scenario}: {error}"])
    tally.seconds = time.monotonic() - began
    remove(room)
    return tally


def begin(options: Options, room: str) -> tuple[str, Mark]:
    """The folder with what is there before, and what of it was promised."""
    folder = os.path.join(room, "run")
    os.mkdir(folder, 0o700)
    result = subprocess.run([options.binary, "prepare", options.scenario, folder], capture_output=True)
    if result.returncode:
        raise Unexpected(f"prepare: {result.stderr.decode()}")
    mark = Mark()
    for line in result.stdout.splitlines(keepends=True):
        mark = mark.after(line)
    return folder, mark


def complete_run(options: Options, command: str, folder: str, promised: Mark) -> States:
    recording = record(options.binary, command, options.scenario, folder, promised)
    if recording.result.code != 0:
        raise Unexpected(f"{command}: exit {recording.result.code}: {recording.result.errors.decode()}")
    plan = States(recording)
    require_whole(plan)
    plan.require_told_lasts()
    return plan


def states(options: Options, room: str, tally: Tally) -> None:
    folder, promised = begin(options, room)
    plan = complete_run(options, "act", folder, promised)
    tally.calls = len(plan.operations)
    judge(options, room, tally, plan, options.states, options.source())


def inside(options: Options, room: str, tally: Tally) -> None:
    """Recoveries from seeded states are recorded, and the power is cut in them."""
    folder, promised = begin(options, room)
    plan = complete_run(options, "act", folder, promised)
    source = options.source()
    each = min(60, options.inside)
    for _ in range(options.inside // each):
        if tally.bad >= options.enough:
            break
        outer = plan.chance(source)
        second = os.path.join(room, "second")
        materialise(plan.build(outer), second, folder)
        try:
            inner = complete_run(options, "recover", second, plan.marks[outer.point])
        except Unexpected as error:
            tally.fail("stuck", [f"{options.scenario}: {error}", *plan.words(outer)])
            continue
        tally.calls += len(inner.operations)
        judge(options, room, tally, inner, each, source, plan.words(outer))


def drawn(plan: States, limit: int, source: random.Random) -> Iterator[State]:
    """The usual states, mixed, and then others for as long as anybody asks; not for ever where there are no more."""
    usual = list(plan.usual())
    source.shuffle(usual)
    yield from usual[:limit * 2 // 3] if len(usual) > limit else usual
    for _ in range(20 * limit):
        yield plan.chance(source)


def judge(
    options: Options, room: str, tally: Tally, plan: States, limit: int, source: random.Random, before: list[str] = []
) -> None:
    """Checks `limit` different states of a run. One is built while the one before it is checked."""
    checker, original = Checker(options.binary), plan.recording.folder
    reference = os.path.join(room, f"reference-{random.randrange(1 << 62):x}")
    materialise(built_of(original), reference)
    slots = [os.path.join(room, f"state-{number}") for number in (0, 1)]
    trees: set[bytes] = set()
    asked: set[tuple] = set()
    waiting: deque[tuple[State, str]] = deque()

    def take() -> None:
        state, slot = waiting.popleft()
        if why := checker.answer():
            report(options, tally, plan, state, why, original, before)
        elif len(trees) % READER_EVERY == 0 and plan.marks[state.point].acked:
            # What was never promised may be as the power cut left it.
            tally.read += 1
            if why := read_independently(store_of(slot)):
                report(options, tally, plan, state, f"stuck the independent reader: {why}", original, before)

    for number, state in enumerate(drawn(plan, limit, source)):
        if len(trees) >= limit or tally.bad >= options.enough:
            break
        built = plan.build(state)
        key, promised = plan.key(built), plan.marks[state.point]
        if (key, promised.acked, promised.backed) in asked:
            continue
        asked.add((key, promised.acked, promised.backed))
        trees.add(key)
        slot = slots[len(asked) % 2]
        prepare(built, slot)
        if waiting:
            take()
        identify(built, slot, original)
        checker.ask(options.scenario, slot, promised, plan.issued(state.point), store_of(reference))
        waiting.append((state, slot))
    while waiting:
        take()
    checker.close()
    remove(reference)
    tally.states += len(trees)


def read_independently(store: str) -> str:
    reader = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read-store.py")
    result = subprocess.run([sys.executable, reader, store, "check"], capture_output=True, text=True)
    return "" if result.returncode == 0 else result.stderr.strip().replace("\n", "; ")


def report(
    options: Options, tally: Tally, plan: States, state: State, why: str, original: str, before: list[str]
) -> None:
    kind, _, words = why.partition(" ")
    told = tally.fail(kind, [f"{options.scenario}, seed {options.seed}: {kind}: {words}", *before, *plan.words(state)])
    if told:
        kept = os.path.join(options.keep, f"stet-crash-{options.what}-{options.scenario}-{options.seed}-{tally.bad}")
        remove(kept)
        materialise(plan.build(state), kept)
        tally.failures.append(f"  kept in {kept}")
