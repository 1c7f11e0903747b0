"""Kills processes that use one store at once, at random moments, and looks whether all that was acknowledged is there.

Writers are single commands and programs that keep the store open (saves, flushes and checkpoints by threads); beside them
run readers, of which none may ever fail, wait for a writer or see a wrong state. Used by tools/crash.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

TOGETHER = 8  # processes at once
ROUND = 25  # kills between two looks at the whole store


class Lost(Exception):
    """The store is not what it ought to be."""


@dataclass
class Running:
    process: subprocess.Popen
    kind: str
    texts: list[bytes]  # what it saves, in this order
    note: str
    files: list[int]  # output and errors
    kill_at: float | None = None
    killed: bool = False


@dataclass
class Kills:
    stet: str
    bench: str
    seed: int
    folder: str
    count: int = 0
    number: int = 0
    commands: dict[str, int] = field(default_factory=dict)
    acknowledged: dict[str, list[list[str]]] = field(default_factory=dict)  # by note: hashes that one process saved, in order
    expected: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.store = os.path.join(self.folder, "store")
        self.must("init", "--bare", self.store)
        self.must("save", "base", "-", stdin=b"base\n")

    # Commands

    def call(self, *words: str) -> list[str]:
        return [self.stet, "--store", self.store, *words]

    def must(self, *words: str, stdin: bytes = b"", codes: tuple[int, ...] = (0,)) -> bytes:
        run = subprocess.run(self.call(*words), input=stdin, capture_output=True, timeout=120)
        if run.returncode not in codes:
            raise Lost(f"stet {' '.join(words)}: exit {run.returncode}: {run.stderr.decode()}{run.stdout.decode()[-300:]}")
        return run.stdout

    def start(self) -> Running:
        self.number += 1
        note = f"note{self.chance.randrange(6)}"
        chosen = self.chance.random()
        texts: list[bytes] = []
        if chosen < 0.45:
            size = self.chance.choice([20, 2_000, 20_000, 60_000, 100_000, 1_200_000])
            texts = [f"{self.number}\n".encode() * (size // 8 + 1)]
            kind, words = "save", self.call("save", note, "-")
        elif chosen < 0.60:
            texts = [f"p{self.number} {n}\n".encode() for n in range(400)]
            kind, words = "program", [self.bench, "saves", self.store, note, f"p{self.number}", "400"]
        elif chosen < 0.70:
            kind, words = "change", self.call(self.chance.choice(["undo", "redo"]), note)
        elif chosen < 0.76:
            kind, words = "change", self.call("label", f"{note}@1", f"words {self.number}")
        elif chosen < 0.82:
            kind, words = "change", self.call(self.chance.choice(["rm", "undelete"]), "base")
        else:
            kind, words = "reader", self.call(*self.chance.choice(
                [("history", "base"), ("list",), ("show", "base"), ("verify", "--quick"), ("history",)]))
        # In memory and not through pipes, which would fill and hold the program up.
        files = [os.memfd_create(name) for name in ("in", "out", "err")]
        if kind == "save":
            os.write(files[0], texts[0])
            os.lseek(files[0], 0, os.SEEK_SET)
        process = subprocess.Popen(words, stdin=files[0], stdout=files[1], stderr=files[2])
        os.close(files[0])
        running = Running(process, kind, texts, note, files[1:])
        if kind != "reader" and self.chance.random() < 0.6:
            longest = 0.4 if kind == "program" else 0.012
            running.kill_at = time.monotonic() + self.chance.random() * longest
        return running

    # What they did

    def finish(self, running: Running) -> None:
        code = running.process.wait()
        output, errors = (os.pread(file, os.fstat(file).st_size, 0) for file in running.files)
        for file in running.files:
            os.close(file)
        self.commands[running.kind] = self.commands.get(running.kind, 0) + 1
        if b"locked" in errors:
            raise Lost(f"{running.kind}: {errors.decode()}")
        if code == -signal.SIGKILL:
            self.count += 1
        elif running.kind == "change":
            # Nothing to undo, no such note yet, deleted already: answers, and no failures.
            if code not in (0, 1, 3):
                raise Lost(f"{running.process.args}: exit {code}: {errors.decode()}")
        elif code != 0 and not (running.kind == "reader" and code == 3):
            raise Lost(f"{running.process.args}: exit {code}: {errors.decode()}{output.decode()[-300:]}")
        done: list[bytes] = []
        if running.kind == "save" and (code == 0 or output):
            done = running.texts
        elif running.kind == "program":
            done = running.texts[:output.count(b"\n")]
        if done:
            self.acknowledged.setdefault(running.note, []).append([hashlib.sha256(text).hexdigest() for text in done])
            self.expected += len(done)

    def round(self) -> None:
        """Until so many more were killed; then all that run are waited for."""
        before, running = self.count, []
        while self.count - before < ROUND:
            while len(running) < TOGETHER:
                running.append(self.start())
            time.sleep(0.001)
            now, still = time.monotonic(), []
            for one in running:
                if one.kill_at is not None and now >= one.kill_at and not one.killed:
                    one.process.kill()
                    one.killed = True
                if one.process.poll() is None:
                    still.append(one)
                else:
                    self.finish(one)
            running = still
        for one in running:
            self.finish(one)

    def check(self) -> None:
        answer = self.must("verify", "--json")
        summary = json.loads(answer.splitlines()[-1])
        if any(summary[key] for key in ("damaged", "missing")):
            raise Lost(f"verify: {answer.decode()[-500:]}")
        for note, saved in self.acknowledged.items():
            lines = self.must("history", note, "--json", codes=(0, 3)).splitlines()
            there = {line["hash"]: line["version"] for line in map(json.loads, lines)}
            for hashes in saved:
                if missing := [text for text in hashes if text not in there]:
                    raise Lost(f"{note}: the acknowledged text {missing[0]} is not in its history")
                if sorted(hashes, key=there.__getitem__) != hashes:
                    raise Lost(f"{note}: the versions of one process are not in their order")
            if any(line["missing"] for line in map(json.loads, lines)):
                raise Lost(f"{note}: a version without its text")


def run(stet: str, bench: str, seed: int, kills: int) -> bool:
    folder = tempfile.mkdtemp(prefix="stet-kills-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    print(f"kills: seed {seed}", flush=True)
    state = Kills(stet, bench, seed, folder)
    begun = time.monotonic()
    try:
        while state.count < kills:
            state.round()
            state.check()
    except Lost as lost:
        print(f"kills: LOST after {state.count} kills (seed {seed}): {lost}\n  the store is in {state.store}", flush=True)
        return False
    versions = state.must("verify").decode().strip()
    print(f"kills: {state.count} of {sum(state.commands.values())} processes, {state.expected} acknowledged saves, "
          f"0 lost, {time.monotonic() - begun:.0f} s; {versions}", flush=True)
    shutil.rmtree(folder)
    return True
