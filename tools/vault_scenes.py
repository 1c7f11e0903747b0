"""The commands that race tries, each with the vault it begins with, and what an editor does meanwhile; a part of race."""

import os
import threading
import time
from dataclasses import dataclass
from typing import BinaryIO, Callable

from vault_driver import Vault

EDITED = b"what the editor wrote\n"
OUTSIDE = b"a file outside the vault\n"


# The editor's actions. Each takes a path, and gives the text that must be kept, or None where it wrote none.

def overwrite(path: str) -> bytes:
    with open(path, "wb") as file:
        file.write(EDITED)
    return EDITED


def replace(path: str) -> bytes:
    temporary = os.path.join(os.path.dirname(path), ".#editor")
    with open(temporary, "wb") as file:
        file.write(EDITED)
    try:
        os.rename(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
    return EDITED


def slowly(path: str) -> bytes:
    """Empties the file now, and writes it a little later."""
    file = open(path, "r+b")
    file.truncate()
    def write() -> None:
        with file:
            file.write(EDITED)
    threading.Timer(0.03, write).start()
    return EDITED


open_files: list[BinaryIO] = []


def holding(path: str) -> bytes:
    """Opens the file now, and writes it when the command has ended."""
    open_files.append(open(path, "r+b"))
    return EDITED


def wait_for_editors() -> None:
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()
    while open_files:
        with open_files.pop() as file:
            file.truncate()
            file.write(EDITED)


def append(path: str) -> bytes:
    with open(path, "a+b") as file:
        file.write(EDITED)
        file.flush()
        file.seek(0)
        return file.read()


def create(path: str) -> bytes:
    with open(path, "xb") as file:
        file.write(EDITED)
    return EDITED


def delete(path: str) -> None:
    os.unlink(path)


def folder(path: str) -> bytes:
    if os.path.lexists(path) and not os.path.isdir(path):
        os.unlink(path)
    os.makedirs(path, exist_ok=True)
    return overwrite(os.path.join(path, "inner.md"))


def chmod(path: str) -> None:
    os.chmod(path, 0o444)


def move(path: str) -> None:
    os.rename(path, os.path.join(os.path.dirname(path), "moved.md"))


def link(path: str) -> None:
    os.unlink(path)
    os.symlink("../outside.txt", path)


def hardlink(path: str) -> None:
    os.link(path, path + ".hard.md")


ACTIONS: dict[str, Callable[[str], bytes | None]] = {
    action.__name__: action
    for action in (overwrite, replace, slowly, holding, append, create, delete, folder, chmod, move, link, hardlink)
}
# Another call of the command at the same time, where the first one does not keep it waiting.
OTHERS: dict[str, list[str]] = {
    "other-save": ["save"], "other-undo": ["undo", "a.md"], "other-restore": ["restore", "a.md@1"],
    "other-rename": ["rename", "a.md", "other.md"], "other-rm": ["rm", "a.md"], "other-folder": ["rename", "work", "Work"],
}
# These take the text away by the user's own will: where nothing has read it yet it need not be anywhere afterwards.
REMOVING = {"overwrite", "replace", "slowly", "holding", "append", "delete", "folder", "link"}


@dataclass(slots=True)
class Scene:
    """A command, the vault it is run on, and the names where an editor may work meanwhile."""

    name: str
    words: list[str]
    places: list[str]
    prepare: Callable[[Vault], None] = lambda vault: None
    stdin: bytes = b""
    notes: int = 1  # how many it changes
    one_by_one: bool = False  # whether it may stop, or be refused, with some of them changed


def dirty(vault: Vault) -> None:
    vault.write("a.md", b"not yet recorded\n")


def undone(vault: Vault) -> None:
    vault.must("undo", "a.md")


def removed(vault: Vault) -> None:
    vault.must("rm", "a.md")


def changed(vault: Vault) -> None:
    dirty(vault)
    vault.write("work/x.md", b"not yet recorded either\n")
    vault.write("new.md", b"a new note\n")


def gone(vault: Vault) -> None:
    os.rename(vault.path("a.md"), vault.path("c.md"))


def scenes(moment: str) -> list[Scene]:
    new = b"text from a pipe\n"
    return [
        Scene("undo", ["undo", "a.md"], ["a.md"]),
        Scene("undo-dirty", ["undo", "a.md"], ["a.md"], dirty),
        Scene("undo-two", ["undo", "a.md", "-n", "2"], ["a.md"]),
        Scene("redo", ["redo", "a.md"], ["a.md"], undone),
        Scene("restore", ["restore", "a.md@1"], ["a.md"]),
        Scene("restore-dirty", ["restore", "a.md@1"], ["a.md"], dirty),
        Scene("restore-folder", ["restore", f"work/@{moment}"], ["work/x.md"], notes=3, one_by_one=True),
        Scene("restore-all", ["restore", f"./@{moment}"], ["a.md", "work/x.md"], dirty, notes=5, one_by_one=True),
        Scene("rename", ["rename", "a.md", "c.md"], ["a.md", "c.md"]),
        Scene("rename-dirty", ["rename", "a.md", "c.md"], ["a.md", "c.md"], dirty),
        Scene("rename-into", ["rename", "a.md", "fresh/c.md"], ["a.md", "fresh/c.md"]),
        Scene("rename-made", ["rename", "a.md", "c.md"], ["a.md", "c.md"], gone),
        Scene("rename-folder", ["rename", "work", "archive"], ["work/x.md", "archive/x.md"], notes=3),
        Scene("rm", ["rm", "a.md"], ["a.md"]),
        Scene("rm-dirty", ["rm", "a.md"], ["a.md"], dirty),
        Scene("rm-folder", ["rm", "work"], ["work/x.md"], notes=3),
        Scene("undelete", ["undelete", "a.md"], ["a.md"], removed),
        Scene("save-pipe", ["save", "a.md", "-"], ["a.md"], stdin=new),
        Scene("save-pipe-dirty", ["save", "a.md", "-"], ["a.md"], dirty, stdin=new),
        Scene("save-pipe-new", ["save", "deep/new.md", "-"], ["deep/new.md"], stdin=new),
        Scene("save-named", ["save", "a.md"], ["a.md"], dirty),
        Scene("save", ["save"], ["a.md", "new.md"], changed, notes=5),
    ]


def base(stet: str, root: str) -> tuple[Vault, str]:
    """The vault that every scene begins with, and a moment in its middle."""
    os.makedirs(root)
    vault = Vault(stet, root)
    vault.must("init")
    for text in (b"one\n", b"one\ntwo\n"):
        vault.write("a.md", text)
        vault.must("save")
    for name in ("b.md", "work/x.md", "work/y.md", "work/deep/z.md"):
        vault.write(name, f"first of {name}\n".encode())
    vault.must("save")
    # A moment is told to the second, and the versions before and after must not be in the same one.
    time.sleep(1.1)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    time.sleep(1.1)
    vault.write("a.md", b"one\ntwo\nthree\n")
    vault.write("work/x.md", b"second of work/x.md\n")
    vault.write("work/deep/z.md", b"second of work/deep/z.md\n")
    vault.must("save")
    return vault, moment
