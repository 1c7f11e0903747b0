"""What the operations of a Stet store make of it, from docs/format.md alone; a part of read-store.py."""

from dataclasses import dataclass, field

from store_log import Fields, Newer, Wrong, device_name

KINDS = {1: "save", 2: "capture", 3: "restore", 4: "import", 5: "merge"}


@dataclass(slots=True)
class Version:
    operation: int
    name: str  # its VersionID
    parents: list[int]
    kind: int
    digest: bytes
    size: int
    time: int
    label: str | None = None
    pinned: bool = False
    redo: int | None = None
    bookmarked: int | None = None


@dataclass(slots=True)
class Note:
    id: bytes
    name: str
    head: int = 0
    deleted: int | None = None
    versions: list[Version] = field(default_factory=list)
    names_before: list[str] = field(default_factory=list)

    def version(self, number: int) -> Version:
        if not 1 <= number <= len(self.versions):
            raise Wrong(f"the note has no version {number}")
        return self.versions[number - 1]


class Replay:
    """What the operations make of the store, in plain Python."""

    def __init__(self) -> None:
        self.operation = 0
        self.notes: list[Note] = []
        self.ids: set[bytes] = set()
        self.live: dict[str, Note] = {}
        self.steps = {2: self.save, 3: self.undo, 4: self.redo, 5: self.rename, 6: self.delete, 7: self.undelete,
                      8: self.label, 9: self.pin, 10: self.unpin, 11: self.ref, 12: self.unref}

    def apply(self, device: bytes, sequence: int, payload: bytes) -> None:
        """Replays one operation; a begin, which only the chain needs, has been checked there."""
        self.operation += 1
        fields = Fields(payload)
        kind, self.time = fields.byte(), fields.time()
        if (kind == 1) != (sequence == 1):
            raise Wrong("a begin is each device's first record and no other")
        if kind == 1:
            return
        if kind not in self.steps:
            raise Newer(f"a record has the kind {kind}, which this reader does not know")
        self.version_id = f"{device_name(device)}.{sequence}"
        self.steps[kind](fields)
        fields.end()

    def note(self, ordinal: int, deleted: bool | None = False) -> Note:
        """A note, which lives or is deleted as said, or either."""
        if not 1 <= ordinal <= len(self.notes):
            raise Wrong(f"there is no note {ordinal}")
        note = self.notes[ordinal - 1]
        if deleted is not None and deleted != (note.deleted is not None):
            raise Wrong(f"note {ordinal} is {'not deleted' if deleted else 'deleted'}")
        return note

    def claim(self, name: str, note: Note) -> None:
        """Gives a live note a name, which no other live note may bear."""
        if self.live.setdefault(name, note) is not note:
            raise Wrong("two notes would bear one name")
        if note.name != name:
            note.names_before.append(note.name)
            note.name = name

    def save(self, fields: Fields) -> None:
        flags, kind, ordinal, number = fields.byte(), fields.byte(), fields.number(), fields.number()
        parents = fields.counted(fields.number)
        digest, size = fields.take(32), fields.number()
        if flags & ~3 or kind not in KINDS:
            raise Newer(f"a save has the flags {flags} and the kind {kind}, which this reader does not know")
        if flags & 1:
            self.add_note(ordinal, fields.take(16), fields.text())
        note = self.note(ordinal)
        label = fields.text() if flags & 2 else None
        if number != len(note.versions) + 1 or parents[:1] != ([note.head] if note.head else []):
            raise Wrong(f"version {number} does not follow the note's versions and head")
        if len(set(parents)) != len(parents) or any(not 1 <= parent < number for parent in parents):
            raise Wrong(f"version {number} has impossible parents")
        note.versions.append(Version(self.operation, self.version_id, parents, kind, digest, size, self.time, label))
        note.head = number

    def add_note(self, ordinal: int, identity: bytes, name: str) -> None:
        if ordinal != len(self.notes) + 1 or identity in self.ids:
            raise Wrong(f"note {ordinal} is not new, or not the next")
        self.notes.append(Note(identity, name))
        self.ids.add(identity)
        self.claim(name, self.notes[-1])

    def undo(self, fields: Fields) -> None:
        note, number, target = self.note(fields.number()), fields.number(), fields.number()
        if number != note.head or target >= number:
            raise Wrong("undo does not begin at the head, or does not go back")
        while number != target:
            parents = note.version(number).parents
            if not parents:
                raise Wrong("undo goes where first parents do not lead")
            note.version(parents[0]).redo = number
            number = parents[0]
        note.head = target

    def redo(self, fields: Fields) -> None:
        note, number, target = self.note(fields.number()), fields.number(), fields.number()
        if number != note.head or target <= number:
            raise Wrong("redo does not begin at the head, or does not go forward")
        while number != target:
            if (number := note.version(number).redo) is None:
                raise Wrong("redo goes where no undo came from")
        note.head = target

    def rename(self, fields: Fields) -> None:
        changes = fields.counted(lambda: (self.note(fields.number()), fields.text()))
        for note, _ in changes:
            if self.live.pop(note.name, None) is None:
                raise Wrong("a note is renamed twice at once")
        for note, name in changes:
            self.claim(name, note)

    def delete(self, fields: Fields) -> None:
        for note in fields.counted(lambda: self.note(fields.number())):
            if note.deleted is not None:
                raise Wrong("a note is deleted twice at once")
            note.deleted = self.operation
            del self.live[note.name]

    def undelete(self, fields: Fields) -> None:
        note = self.note(fields.number(), deleted=True)
        note.deleted = None
        self.claim(fields.text(), note)

    def marked(self, fields: Fields) -> Version:
        """The version that a mark is put on; its note may be a deleted one."""
        return self.note(fields.number(), deleted=None).version(fields.number())

    def label(self, fields: Fields) -> None:
        version = self.marked(fields)
        version.label = fields.text() or None

    def pin(self, fields: Fields) -> None:
        self.marked(fields).pinned = True

    def unpin(self, fields: Fields) -> None:
        self.marked(fields).pinned = False

    def ref(self, fields: Fields) -> None:
        self.marked(fields).bookmarked = self.operation

    def unref(self, fields: Fields) -> None:
        self.marked(fields).bookmarked = None
