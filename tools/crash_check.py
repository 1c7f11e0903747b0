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


def materialise(built: Built, folder: str, original: str) -> None:
    """Makes `folder` anew with what was built.

    A lock file is a link to the one below `original`, where the run was: the index knows it by its inode, as it does after
    a power cut.
    """
    remove(folder)
    os.mkdir(folder, 0o700)
    modes = []
    for path, (mode, content) in built.items():
        target = f"{folder}/{path}"
        if content is None:
            os.mkdir(target, 0o700)
            if mode != 0o700:
                modes.append((target, mode))
            continue
        if not content[0] and path.endswith("/lock") and os.path.exists(f"{original}/{path}"):
            os.link(f"{original}/{path}", target)
            continue
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        os.write(descriptor, content[0])
        os.close(descriptor)
    for target, mode in modes:
        os.chmod(target, mode)


def remove(folder: str) -> None:
    if os.path.lexists(folder):
        shutil.rmtree(folder)


def copy(folder: str, target: str) -> None:
    """A copy of a real folder, with the same lock file."""
    built = {path: (mode, None if data is None else (data, b"")) for path, (mode, data) in tree_of(folder).items()}
    materialise(built, target, folder)


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
