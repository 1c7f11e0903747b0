"""Puts a state of a disk into a folder and has stet-crash check it, for tools/crash."""

import os
import resource
import select
import shutil
import subprocess

# These stand beside this file.
from crash_disk import tree_of
from crash_record import Mark
from crash_states import NEVER, Content

MEMORY = 2 << 30
PATIENCE = 60  # seconds for one state

Built = dict[str, tuple[int, Content | None]]


def materialise(built: Built, folder: str, original: str = "") -> None:
    """Makes `folder` anew with what was built; with `original`, the folder of the run, as the same store (see `identify`)."""
    prepare(built, folder)
    identify(built, folder, original)


def prepare(built: Built, folder: str) -> None:
    """Makes `folder` anew, without the files that a store is known by."""
    remove(folder)
    os.mkdir(folder, 0o700)
    modes = []
    for path, (mode, content) in built.items():
        target = f"{folder}/{path}"
        if content is None:
            os.mkdir(target, 0o700)
            if mode != 0o700:
                modes.append((target, mode))
        elif not is_known_by(path):
            write(target, mode, content[0])
    for target, mode in modes:
        os.chmod(target, mode)


def is_known_by(path: str) -> bool:
    """Whether the index knows the store by this file's inode and birth: then they are the same after a power cut."""
    return path.endswith(("/lock", "/index.sqlite"))


def identify(built: Built, folder: str, original: str) -> None:
    """Puts in the files that a store is known by: the very files that the run had, with other bytes.

    So only one such folder of a run at a time is whole.
    """
    for path, (mode, content) in built.items():
        if content is None or not is_known_by(path):
            continue
        if original and os.path.exists(f"{original}/{path}"):
            os.link(f"{original}/{path}", f"{folder}/{path}")
        write(f"{folder}/{path}", mode, content[0])


def write(path: str, mode: int, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    os.write(descriptor, data)
    os.close(descriptor)


def remove(folder: str) -> None:
    if os.path.lexists(folder):
        shutil.rmtree(folder)


def built_of(folder: str) -> Built:
    """What stands in a real folder."""
    return {path: (mode, None if data is None else (data, b"")) for path, (mode, data) in tree_of(folder).items()}


class Checker:
    """A process of stet-crash that checks one state after the other; a new one after it died."""

    def __init__(self, binary: str) -> None:
        self.binary = binary
        self.process: subprocess.Popen | None = None

    def ask(self, scenario: str, folder: str, promised: Mark, issued: int, reference: str) -> None:
        if self.process is None:
            def limit() -> None:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            self.process = subprocess.Popen(
                [self.binary, "check"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                preexec_fn=limit)
        line = f"{scenario} {folder} {promised.acked} {promised.check} {min(issued, NEVER)} {promised.backed} {reference}\n"
        os.write(self.process.stdin.fileno(), line.encode())

    def answer(self) -> str:
        """"" where the state is as it should be, else what is wrong with it."""
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.close()
            return "stuck the check does not end"
        line = self.process.stdout.readline().decode(errors="replace").strip()
        if not line:
            code = self.process.wait()
            self.close()
            return f"stuck the check died ({code})"
        return "" if line == "ok" else line.removeprefix("bad ")

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


def store_of(scenario_folder: str) -> str:
    bare = scenario_folder + "/store"
    return bare if os.path.isdir(bare) else scenario_folder + "/notes/.stet"
