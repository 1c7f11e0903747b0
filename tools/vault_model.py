"""A plain model of a vault, the notes and the files, and how it is compared with a real one; a part of walk."""

from dataclasses import dataclass, field, replace

from vault_driver import Entry, State, temporary_files

TEXT_START = 8192  # a NUL before this byte makes a file no text


@dataclass(slots=True, frozen=True)
class Version:
    number: int
    digest: str
    parent: int | None
    kind: str
    label: str | None = None


@dataclass(slots=True)
class Note:
    name: str
    versions: tuple[Version, ...] = ()
    head: int = 0
    deleted: bool = False
    redo: dict[int, int] | None = field(default_factory=dict)  # None: not known
    id: str | None = None  # None until the command has told it

    def clone(self) -> "Note":
        return replace(self, redo=None if self.redo is None else dict(self.redo))

    @property
    def digest(self) -> str:
        return self.versions[self.head - 1].digest

    @property
    def parent(self) -> int | None:
        return self.versions[self.head - 1].parent

    def add(self, digest: str, kind: str) -> None:
        number = len(self.versions) + 1
        self.versions += (Version(number, digest, self.head or None, kind),)
        self.head = number


@dataclass(slots=True)
class World:
    notes: list[Note] = field(default_factory=list)
    files: dict[str, Entry] = field(default_factory=dict)
    # After a kill: what the next command has yet to do to files, by name from what to what.
    pending: dict[str, tuple[Entry | None, Entry | None]] = field(default_factory=dict)

    def clone(self) -> "World":
        return World([note.clone() for note in self.notes], dict(self.files), dict(self.pending))

    def live(self, name: str) -> Note | None:
        return next((note for note in self.notes if note.name == name and not note.deleted), None)

    def names(self) -> list[str]:
        return sorted(note.name for note in self.notes if not note.deleted)

    def members(self, name: str) -> list[Note]:
        """The note of this name, or the notes in the folder of this name."""
        note = self.live(name)
        prefix = name.rstrip("/") + "/"
        return [note] if note else [note for note in self.notes if not note.deleted and note.name.startswith(prefix)]

    def crossing(self, name: str) -> bool:
        """Whether a live note lies inside this name, or this name inside one."""
        return any(other.startswith(name + "/") or name.startswith(other + "/") for other in self.names())

    def place(self, name: str) -> str:
        """What stands in the way of writing there: "free", "file", or a reason to refuse."""
        for end in range(len(name)):
            if name[end] == "/" and (entry := self.files.get(name[:end])) and entry.kind != "folder":
                return "blocked"
        entry = self.files.get(name)
        if entry is None:
            return "free"
        if entry.kind != "file":
            return entry.kind
        if entry.links > 1:
            return "links"
        return "file" if entry.mode & 0o200 else "read-only"

    def text(self, name: str) -> Entry | None:
        entry = self.files.get(name)
        return entry if entry is not None and entry.kind == "file" and self.place(name) != "blocked" else None

    def put(self, name: str, data: bytes) -> None:
        """The file is there with this text; its mode stays."""
        for end in range(len(name)):
            if name[end] == "/":
                self.files.setdefault(name[:end], Entry("folder", mode=-1))
        old = self.files.get(name)
        self.files[name] = Entry("file", data, old.mode if old is not None and old.kind == "file" else -1)


def counts_as_note(name: str, entry: Entry) -> bool:
    """Whether a save without names takes it."""
    if entry.kind != "file" or any(part.startswith(".") for part in name.split("/")) or name.endswith("~"):
        return False
    return b"\0" not in entry.data[:TEXT_START] or entry.data[:2] in (b"\xff\xfe", b"\xfe\xff")


def recovered(before: World) -> World:
    """What the next changing command makes of what a killed one left, where nobody wrote in between."""
    world = before.clone()
    for name, (old, new) in before.pending.items():
        if same(before.files.get(name), old):
            if new is None:
                world.files.pop(name, None)
            else:
                world.files[name] = new
    world.pending = {}
    return world


def same(one: Entry | None, other: Entry | None) -> bool:
    if one is None or other is None:
        return one is other
    modes = one.mode == other.mode or -1 in (one.mode, other.mode)
    return one.kind == other.kind and one.data == other.data and modes


def differences(world: World, state: State, files: dict[str, Entry]) -> list[str]:
    """How the command's notes and the files differ from the world, folders and temporary files apart. Learns ids."""
    found = []
    names = set(world.files) | set(files)
    for name in sorted(names - set(temporary_files(names))):
        wanted, there = world.files.get(name), files.get(name)
        if not same(wanted, there) and not all(entry is None or entry.kind == "folder" for entry in (wanted, there)):
            found.append(f"{name}: {told(there)}, expected {told(wanted)}")
    unmatched = dict(state.notes)
    for note in world.notes:
        key = note.id if note.id is not None else next(
            (key for key, row in unmatched.items() if row["name"] == note.name and row["deleted"] == note.deleted
             and not any(other.id == key for other in world.notes)), None)
        row = unmatched.pop(key, None)
        if row is None:
            found.append(f"note {note.name} is missing")
            continue
        note.id = key
        there = told_note(row["name"], row["head"], row["deleted"], versions_of(state, key))
        wanted = told_note(note.name, note.head, note.deleted, note.versions)
        if there != wanted:
            found.append(f"note {there}\n            expected {wanted}")
    found += [f"unexpected note {row['name']}" for row in unmatched.values()]
    return found


def versions_of(state: State, note: str) -> tuple[Version, ...]:
    return tuple(
        Version(row["version"], row["hash"], row["parent"], row["kind"], row["label"]) for row in state.histories[note])


def told(entry: Entry | None) -> str:
    if entry is None:
        return "nothing"
    return f"{entry.kind} {entry.data[:40]!r} {entry.mode:o}" if entry.kind == "file" else entry.kind


def told_note(name: str, head: int, deleted: bool, versions: tuple[Version, ...]) -> str:
    shown = " ".join(
        f"@{v.number}:{v.kind}:{v.digest[:6]}<{v.parent or ''}{'=' + v.label if v.label else ''}" for v in versions)
    return f"{name}{' deleted' if deleted else ''} head @{head}: {shown}"


def adopted(state: State, files: dict[str, Entry]) -> World:
    """The world as the command tells it, with redo paths unknown."""
    notes = [
        Note(row["name"], versions_of(state, key), row["head"], row["deleted"], None, key)
        for key, row in state.notes.items()]
    return World(notes, files)


def lost(before: State, after: State, files_before: dict[str, Entry], files_after: dict[str, Entry]) -> list[str]:
    """What no command may ever do, whatever else is open: take a version away, or the only place of a text."""
    found = []
    for key, old in before.histories.items():
        name = before.notes[key]["name"]
        if key not in after.histories:
            found.append(f"note {name} is gone")
            continue
        kept = [(v["version"], v["hash"], v["parent"], v["kind"]) for v in after.histories[key][: len(old)]]
        if kept != [(v["version"], v["hash"], v["parent"], v["kind"]) for v in old]:
            found.append(f"the versions of {name} are not what they were")
    there = after.texts() | {entry.digest for entry in files_after.values() if entry.kind == "file"}
    for name, entry in files_before.items():
        if entry.kind == "file" and entry.digest not in there:
            found.append(f"the text of {name} is gone: {entry.data[:60]!r}")
    return found


def expected_status(world: World) -> dict[str, str]:
    """The states that status ought to tell; files of another kind in the place of a note are left out."""
    found = {}
    for name, entry in world.files.items():
        note = world.live(name)
        if note is not None and entry.kind == "file" and note.digest != entry.digest:
            found[name] = "changed"
        elif note is None and counts_as_note(name, entry):
            found[name] = "new"
    def is_behind_link(name: str) -> bool:
        return any(entry.kind == "link" and name.startswith(folder + "/") for folder, entry in world.files.items())
    found |= {name: "gone" for name in world.names() if world.files.get(name) is None and not is_behind_link(name)}
    return found
