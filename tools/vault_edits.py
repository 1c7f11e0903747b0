"""What people and their programs do to the files of a vault without the command; a part of walk.

Every edit takes the desk and returns what it did, in words, or None where it could not.
"""

import os
import random
import shutil
from typing import Callable

from vault_driver import STORE, temporary_files

NAMES = [
    "a.md", "b.md", "todo.txt", "A.md", "caf\u00e9.md", "cafe\u0301.md", "two words.md", "me@home.md", "-dash.md",
    "work/x.md", "work/y.md", "work/deep/z.md", "Work/x.md", "plain", "plain/inside.md", "work",
]


class Desk:
    """The files as an editor sees them, and texts that are told apart."""

    def __init__(self, root: str, chance: random.Random) -> None:
        self.root, self.chance, self.count = root, chance, 0

    def path(self, name: str) -> str:
        return os.path.join(self.root, name)

    def name(self) -> str:
        return self.chance.choice(NAMES)

    def there(self) -> str | None:
        """A regular file of the vault."""
        found = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(folder for folder in folders if folder != STORE)
            found += [os.path.relpath(os.path.join(folder, file), self.root) for file in files]
        found = [name for name in found if os.path.isfile(self.path(name)) and not os.path.islink(self.path(name))]
        found = sorted(set(found) - set(temporary_files(found)))  # nobody edits those
        return self.chance.choice(found) if found else None

    def text(self) -> bytes:
        self.count += 1
        kind = self.chance.random()
        if kind < 0.05:
            return b""
        if kind < 0.15:
            return self.chance.choice([b"same again\n", b"and again\n", b"no newline at the end"])
        lines = [f"line {self.chance.randrange(30)}\n" for _ in range(self.chance.randrange(4))]
        return f"text {self.count}\n{''.join(lines)}".encode()

    def write(self, name: str, data: bytes) -> None:
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data)


def new_file(desk: Desk) -> str | None:
    name = desk.name()
    try:
        if os.path.lexists(desk.path(name)):
            return None
        desk.write(name, desk.text())
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        return None
    return name


def overwrite(desk: Desk) -> str | None:
    if name := desk.there():
        desk.write(name, desk.text())
    return name


def replace(desk: Desk) -> str | None:
    if name := desk.there():
        temporary = os.path.join(os.path.dirname(name), ".#editor")
        desk.write(temporary, desk.text())
        os.rename(desk.path(temporary), desk.path(name))
    return name


def append(desk: Desk) -> str | None:
    if name := desk.there():
        with open(desk.path(name), "ab") as file:
            file.write(desk.text())
    return name


def same_size_and_time(desk: Desk) -> str | None:
    """Other bytes, as many as before, with the old modification time."""
    if name := desk.there():
        status = os.stat(desk.path(name))
        with open(desk.path(name), "r+b") as file:
            data = file.read()
            file.seek(0)
            file.write(bytes(reversed(data.rstrip(b"\n"))) + data[len(data.rstrip(b"\n")):])
        os.utime(desk.path(name), ns=(status.st_atime_ns, status.st_mtime_ns))
    return name


def touch(desk: Desk) -> str | None:
    if name := desk.there():
        os.utime(desk.path(name))
    return name


def delete(desk: Desk) -> str | None:
    if name := desk.there():
        os.unlink(desk.path(name))
    return name


def move(desk: Desk) -> str | None:
    name, target = desk.there(), desk.name()
    if name is None or os.path.lexists(desk.path(target)):
        return None
    os.makedirs(os.path.dirname(desk.path(target)), exist_ok=True)
    os.rename(desk.path(name), desk.path(target))
    return f"{name} to {target}"


def copy(desk: Desk) -> str | None:
    name, target = desk.there(), desk.name()
    if name is None or os.path.lexists(desk.path(target)):
        return None
    os.makedirs(os.path.dirname(desk.path(target)), exist_ok=True)
    shutil.copy2(desk.path(name), desk.path(target))
    return f"{name} to {target}"


def move_folder(desk: Desk) -> str | None:
    if not os.path.isdir(desk.path("work")) or os.path.lexists(desk.path("Work")):
        return None
    os.rename(desk.path("work"), desk.path("Work"))
    return "work to Work"


def chmod(desk: Desk) -> str | None:
    name = desk.there()
    if name is None:
        return None
    mode = desk.chance.choice([0o444, 0o644, 0o600, 0o755])
    os.chmod(desk.path(name), mode)
    return f"{name} to {mode:o}"


def file_to_folder(desk: Desk) -> str | None:
    if name := desk.there():
        os.unlink(desk.path(name))
        desk.write(name + "/inside.md", desk.text())
    return name


def folder_to_file(desk: Desk) -> str | None:
    name = desk.chance.choice(["work", "plain", "a.md", "work/deep"])
    if not os.path.isdir(desk.path(name)) or os.path.islink(desk.path(name)):
        return None
    shutil.rmtree(desk.path(name))
    desk.write(name, desk.text())
    return name


def to_link(desk: Desk) -> str | None:
    if name := desk.there():
        os.unlink(desk.path(name))
        os.symlink(desk.chance.choice(["a.md", "nowhere", "/dev/null", "../outside.txt"]), desk.path(name))
    return name


def to_hard_link(desk: Desk) -> str | None:
    name, target = desk.there(), desk.name()
    if name is None or os.path.lexists(desk.path(target)):
        return None
    os.makedirs(os.path.dirname(desk.path(target)), exist_ok=True)
    os.link(desk.path(name), desk.path(target))
    return f"{name} as {target}"


def other_kind(desk: Desk) -> str | None:
    """A file that is no note, at a name of its own or at a note's."""
    name = desk.chance.choice([".hidden.md", "draft.md~", "picture.png", "pipe", "work/.cache/x.md", desk.name()])
    if os.path.lexists(desk.path(name)):
        return None
    os.makedirs(os.path.dirname(desk.path(name)), exist_ok=True)
    if name == "pipe":
        os.mkfifo(desk.path(name))
    elif name == "picture.png" or desk.chance.random() < 0.3:
        desk.write(name, b"\x89PNG\0" + desk.text())
    else:
        desk.write(name, desk.text())
    return name


def tidy(desk: Desk) -> str | None:
    """Takes away what is neither file nor folder, so that a walk does not end with nothing but refusals."""
    taken = []
    for folder, folders, files in os.walk(desk.root):
        folders[:] = sorted(name for name in folders if name != STORE)
        for name in sorted(files + folders):
            path = os.path.join(folder, name)
            if os.path.islink(path) or not (os.path.isfile(path) or os.path.isdir(path)) or (
                os.path.isfile(path) and os.stat(path).st_nlink > 1
            ):
                os.unlink(path)
                taken.append(os.path.relpath(path, desk.root))
            elif os.path.isfile(path) and not os.stat(path).st_mode & 0o200:
                os.chmod(path, 0o644)
                taken.append(os.path.relpath(path, desk.root))
    return ", ".join(taken) or None


# How often each is done, beside the others.
EDITS: dict[Callable[[Desk], str | None], int] = {
    new_file: 10, overwrite: 8, replace: 6, append: 5, same_size_and_time: 3, touch: 2, delete: 4, move: 4, copy: 2,
    move_folder: 1, chmod: 2, file_to_folder: 2, folder_to_file: 2, to_link: 1, to_hard_link: 1, other_kind: 3, tidy: 4,
}
