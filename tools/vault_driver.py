"""Drives the built command over a vault as a user does, and looks at the files beside it; a part of race and walk."""

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass, field
from typing import Any, Iterable

STORE = ".stet"
TEMPORARY = re.compile(r"\.stet-[0-9a-f]{16}\.tmp")


@dataclass(slots=True)
class Outcome:
    code: int | None  # None where it was killed
    output: bytes
    errors: bytes

    def error_lines(self) -> list[str]:
        return self.errors.decode(errors="surrogateescape").splitlines()


@dataclass(slots=True, frozen=True)
class Entry:
    """What stands at a name: a file with its bytes, a link with its target, or something else."""

    kind: str  # file, link, folder, fifo, other
    data: bytes = b""
    mode: int = 0
    links: int = 1

    @property
    def digest(self) -> str:
        return digest(self.data)


@dataclass(slots=True)
class State:
    """The notes as the command tells them: by id, each with its versions, oldest first."""

    notes: dict[str, dict[str, Any]]
    histories: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def texts(self) -> set[str]:
        return {version["hash"] for history in self.histories.values() for version in history}

    def heads(self) -> dict[str, tuple[str, str, bool]]:
        """Of every note: name, the head's hash, whether it is deleted."""
        found = {}
        for note, history in self.histories.items():
            head = next(version["hash"] for version in history if version["head"])
            found[note] = (self.notes[note]["name"], head, self.notes[note]["deleted"])
        return found


class Unexpected(Exception):
    """The command answered what no state of a vault explains."""


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Vault:
    def __init__(self, stet: str, root: str) -> None:
        self.stet, self.root = os.path.abspath(stet), root
        self.environment = {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}

    def command(self, *arguments: str) -> list[str]:
        return [self.stet, *arguments]

    def run(self, *arguments: str, stdin: bytes = b"") -> Outcome:
        try:
            done = subprocess.run(
                self.command(*arguments), input=stdin, capture_output=True, cwd=self.root, env=self.environment,
                timeout=60)
        except subprocess.TimeoutExpired:
            raise Unexpected(f"stet {' '.join(arguments)} did not end") from None
        return Outcome(done.returncode, done.stdout, done.stderr)

    def must(self, *arguments: str, stdin: bytes = b"") -> bytes:
        done = self.run(*arguments, stdin=stdin)
        if done.code != 0:
            raise Unexpected(f"stet {' '.join(arguments)}: exit {done.code}: {done.errors.decode(errors='replace')}")
        return done.output

    def answers(self, *arguments: str) -> list[dict[str, Any]]:
        lines = self.must(*arguments, "--json").splitlines()
        return [json.loads(line) for line in lines]

    def notes(self) -> dict[str, dict[str, Any]]:
        rows = self.answers("list") + self.answers("list", "--deleted")
        return {row["note"]: row for row in rows}

    def history(self, note: str) -> list[dict[str, Any]]:
        """The versions by number. The operand is a bookmark, which finds deleted notes too and no other."""
        return sorted(self.answers("history", f"stet:{note}"), key=lambda version: version["version"])

    def state(self, known: State | None = None) -> State:
        """Everything; histories of notes that `known` shows the same are not asked for again."""
        state = State(self.notes())
        for note, row in state.notes.items():
            if known is not None and known.notes.get(note) == row:
                state.histories[note] = known.histories[note]
            else:
                state.histories[note] = self.history(note)
        return state

    def path(self, name: str) -> str:
        return os.path.join(self.root, name)

    def write(self, name: str, data: bytes) -> None:
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data)

    def files(self) -> dict[str, Entry]:
        """What stands in the vault's folder, by name, without the store."""
        found: dict[str, Entry] = {}
        self._look(self.root, "", found)
        return found

    def _look(self, folder: str, prefix: str, found: dict[str, Entry]) -> None:
        for item in os.scandir(folder):
            name = prefix + item.name
            if name == STORE:
                continue
            status = item.stat(follow_symlinks=False)
            mode = stat.S_IMODE(status.st_mode)
            if stat.S_ISREG(status.st_mode):
                with open(item.path, "rb") as file:
                    found[name] = Entry("file", file.read(), mode, status.st_nlink)
            elif stat.S_ISDIR(status.st_mode):
                found[name] = Entry("folder", mode=mode)
                self._look(item.path, name + "/", found)
            elif stat.S_ISLNK(status.st_mode):
                found[name] = Entry("link", os.fsencode(os.readlink(item.path)))
            else:
                found[name] = Entry("fifo" if stat.S_ISFIFO(status.st_mode) else "other")

    def copy(self, root: str) -> "Vault":
        shutil.copytree(self.root, root, symlinks=True)
        return Vault(self.stet, root)

    def remove(self) -> None:
        shutil.rmtree(self.root)


def memory_folder() -> str | None:
    """Where vaults cost no disk; None for the usual place of temporary files."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def temporary_files(files: Iterable[str]) -> list[str]:
    return [name for name in files if TEMPORARY.fullmatch(os.path.basename(name))]


def complaints(outcome: Outcome, notes: int = 1) -> list[str]:
    """What is wrong with how a command spoke: silence about a refusal, or the same thing said twice."""
    # Of each note that a save finds as it was.
    lines = [line for line in outcome.error_lines() if line != "stet: unchanged: no new version"]
    wrong = []
    if outcome.code not in (0, 1) and not lines:
        wrong.append(f"exit {outcome.code} without a word")
    if notes == 1 and len(set(lines)) < len(lines):
        wrong.append(f"said twice: {lines}")
    if len(lines) > 2 * notes:
        wrong.append(f"{len(lines)} lines of errors for {notes} notes: {lines}")
    if any(word in line for line in lines for word in ("Fatal error", "Swift/", "Optional(", "nil")):
        wrong.append(f"words of a program: {lines}")
    return wrong


def faults_at_rest(vault: Vault, state: State, files: dict[str, Entry]) -> list[str]:
    """What must not be after a plain save: a head that is not its file, a temporary file, damage."""
    faults = [f"temporary file {name}" for name in temporary_files(files)]
    changed = [row["name"] for row in vault.answers("status") if row["state"] == "changed"]
    faults += [f"{name} is changed after a save" for name in changed]
    for name, head, deleted in state.heads().values():
        entry = files.get(name)
        if not deleted and entry is not None and entry.kind == "file" and entry.digest != head:
            faults.append(f"{name} holds {entry.data[:60]!r}, not its head {head[:8]}")
    checked = vault.run("verify")
    if checked.code != 0:
        faults.append(f"verify: exit {checked.code}: {(checked.output + checked.errors).decode(errors='replace')}")
    return faults
