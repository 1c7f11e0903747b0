"""A model of a disk for tools/crash: files with bytes, folders with entries, and operations that change them.

A file or folder is a number. What a name operation does is a few entries set, all of them or none: so a rename is one
step, and an operation that did not last is left out without any other noticing.
"""

import os
import stat
from dataclasses import dataclass, field

Entry = tuple[int, str]  # a folder's number, and a name in it


@dataclass(slots=True)
class Node:
    is_folder: bool
    mode: int
    data: bytes = b""


@dataclass(slots=True)
class Disk:
    """What is on disk for good."""

    nodes: dict[int, Node] = field(default_factory=dict)
    entries: dict[Entry, int] = field(default_factory=dict)

    ROOT = 0


@dataclass(slots=True)
class Operation:
    """One call that changed something, or that made changes last, or a mark."""

    kind: str  # write, truncate, mode, names, sync, syncfs, lost, mark
    words: str
    node: int = -1  # of write, truncate, mode, sync
    offset: int = 0  # of write; the length of truncate
    data: bytes = b""
    mode: int = 0
    entries: tuple[tuple[Entry, int | None], ...] = ()  # of names: what they are afterwards
    covers: frozenset[int] = frozenset()  # of syncfs and lost: the files and folders

    def nodes(self, before: dict[Entry, int]) -> set[int]:
        """The files that a name operation is about."""
        found = {node for _, node in self.entries if node is not None}
        return found | {before[entry] for entry, _ in self.entries if entry in before}


def is_memory(path: str) -> bool:
    """SQLite's shared memory lies in a file, but nobody reads it after a restart."""
    return path.endswith("-shm")


def read_disk(root: str) -> tuple[Disk, dict[tuple[int, int], int]]:
    """What stands below `root`, and the numbers by device and inode."""
    disk, numbers = Disk(), {}

    def add(path: str) -> int:
        status = os.lstat(path)
        number = numbers.setdefault((status.st_dev, status.st_ino), len(numbers))
        if stat.S_ISDIR(status.st_mode):
            disk.nodes[number] = Node(True, stat.S_IMODE(status.st_mode))
            for name in sorted(os.listdir(path)):
                if not is_memory(name):
                    disk.entries[number, name] = add(os.path.join(path, name))
        else:
            with open(path, "rb") as file:
                disk.nodes[number] = Node(False, stat.S_IMODE(status.st_mode), file.read())
        return number

    add(root)
    return disk, numbers


# What stands somewhere: path below the root, with the mode, and the bytes of a file or None for a folder.
Tree = dict[str, tuple[int, bytes | None]]


def tree_of(root: str) -> Tree:
    disk, _ = read_disk(root)
    return tree(disk.entries, lambda number: (disk.nodes[number].mode, None if disk.nodes[number].is_folder
                                              else disk.nodes[number].data))


def tree(entries: dict[Entry, int], content) -> dict[str, tuple]:
    """The tree that entries make, each with what `content` tells of its number; a folder's ends in None."""
    folders: dict[int, list[tuple[str, int]]] = {}
    for (folder, name), number in entries.items():
        folders.setdefault(folder, []).append((name, number))
    found = {}

    def walk(number: int, prefix: str) -> None:
        for name, child in folders.get(number, ()):
            found[prefix + name] = known = content(child)
            if known[-1] is None:
                walk(child, prefix + name + "/")

    walk(Disk.ROOT, "")
    return found
