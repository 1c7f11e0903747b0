"""What each command ought to make of a vault, without Stet's ideas of how; a part of walk.

A command gives guesses: the worlds that it may lead to, each with the exit codes that go with it. One guess is the rule;
there are more where the rules leave something open.
"""

from dataclasses import dataclass, replace

from vault_driver import Entry
from vault_model import Note, World, counts_as_note


@dataclass(slots=True)
class Guess:
    codes: set[int]
    world: World


class Rules:
    """The commands. Every one takes the world before and gives its guesses; `texts` finds bytes by their hash."""

    def __init__(self, texts: dict[str, bytes]) -> None:
        self.texts = texts

    # Saving

    def save(self, before: World) -> list[Guess]:
        world, codes = before.clone(), {0}
        for name, entry in sorted(before.files.items()):
            note = world.live(name)
            if counts_as_note(name, entry) or (note and entry.kind == "file"):
                if not self.record(world, name, entry):
                    codes = {4}
        return [Guess(codes, world)]

    def save_named(self, before: World, names: list[str]) -> list[Guess]:
        world, codes = before.clone(), {0}
        for name in names:
            entry = before.files.get(name)
            if entry is not None and entry.kind in ("link", "folder"):
                return []  # a link is read where it is named, and all that is in a folder
            entry = before.text(name)
            if entry is None:
                codes = {3, 4}
            elif not self.record(world, name, entry):
                codes = {4}
        return [Guess(codes, world)]

    def record(self, world: World, name: str, entry: Entry) -> bool:
        note = world.live(name)
        if note is None:
            if world.crossing(name):
                return False
            note = Note(name)
            world.notes.append(note)
            note.add(entry.digest, "save")
        elif note.digest != entry.digest:
            note.add(entry.digest, "save")
        return True

    def save_pipe(self, before: World, name: str, data: bytes) -> list[Guess]:
        world = before.clone()
        if before.place(name) not in ("free", "file") or (world.live(name) is None and world.crossing(name)):
            return [Guess({4}, before)]
        note = world.live(name)
        given = Entry("file", data)
        if note is None:
            note = Note(name)
            world.notes.append(note)
            if (there := before.text(name)) is not None and there.data != data:
                note.add(there.digest, "capture")
            note.add(given.digest, "save")
        else:
            if (there := before.text(name)) is None or there.data != data:
                self.capture(world, note)
            if note.digest != given.digest:
                note.add(given.digest, "save")
        world.put(name, data)
        guesses = [Guess({0}, world)]
        if (there := before.text(name)) is not None and there.data == data:
            # The text is in the file already, and may be recorded as any text there is.
            world = world.clone()
            note = world.live(name)
            note.versions = note.versions[:-1] + (replace(note.versions[-1], kind="capture"),)
            guesses.append(Guess({0}, world))
        return guesses

    def capture(self, world: World, note: Note) -> None:
        entry = world.text(note.name)
        if entry is not None and entry.digest != note.digest:
            note.add(entry.digest, "capture")

    # Moving through a note's versions

    def writable(self, before: World, name: str) -> list[Guess] | None:
        """The refusal, where the note is none or its file may not be written."""
        if before.live(name) is None:
            return [Guess({3, 4}, before)]
        if before.place(name) not in ("free", "file"):
            return [Guess({1, 4}, before)]
        return None

    def undo(self, before: World, name: str, steps: int) -> list[Guess]:
        if refusal := self.writable(before, name):
            return refusal
        world = before.clone()
        note = world.live(name)
        self.capture(world, note)
        if note.parent is None:
            return [Guess({1}, before)]
        for _ in range(steps):
            if (parent := note.parent) is None:
                break
            if note.redo is not None:
                note.redo[parent] = note.head
            note.head = parent
        world.put(name, self.texts[note.digest])
        return [Guess({0}, world)]

    def redo(self, before: World, name: str, steps: int) -> list[Guess]:
        if refusal := self.writable(before, name):
            return refusal
        note, entry = before.live(name), before.text(name)
        if entry is not None and entry.digest != note.digest:
            return [Guess({4} if note.redo is not None and note.head in note.redo else {1, 4}, before)]
        if note.redo is None:
            return self.redo_somewhere(before, name, steps)
        if note.head not in note.redo:
            return [Guess({1}, before)]
        world = before.clone()
        note = world.live(name)
        for _ in range(steps):
            note.head = note.redo.get(note.head, note.head)
        world.put(name, self.texts[note.digest])
        return [Guess({0}, world)]

    def redo_somewhere(self, before: World, name: str, steps: int) -> list[Guess]:
        """The path is not known: any descendant so many steps on, or fewer where the path ends."""
        guesses = [Guess({1}, before)]
        reached = {before.live(name).head}
        for _ in range(steps):
            reached = {version.number for version in before.live(name).versions if version.parent in reached}
            for head in reached:
                world = before.clone()
                note = world.live(name)
                note.head = head
                world.put(name, self.texts[note.digest])
                guesses.append(Guess({0}, world))
        return guesses

    def restore(self, before: World, name: str, number: int) -> list[Guess]:
        note = before.live(name)
        if note is not None and not 1 <= number <= len(note.versions):
            return [Guess({3}, before)]
        if refusal := self.writable(before, name):
            return refusal
        world = before.clone()
        note = world.live(name)
        wanted = note.versions[number - 1].digest
        if (there := before.text(name)) is None or there.digest != wanted:
            self.capture(world, note)
        if note.digest != wanted:
            note.add(wanted, "restore")
        world.put(name, self.texts[wanted])
        return [Guess({0}, world)]

    def label(self, before: World, name: str, number: int, words: str) -> list[Guess]:
        note = before.live(name)
        if note is None:
            return []  # one whose name differs in case only is meant
        if not 1 <= number <= len(note.versions):
            return [Guess({3}, before)]
        world = before.clone()
        note = world.live(name)
        labelled = replace(note.versions[number - 1], label=words or None)
        note.versions = note.versions[: number - 1] + (labelled,) + note.versions[number:]
        return [Guess({0}, world)]

    # Names

    def rename(self, before: World, old: str, new: str) -> list[Guess]:
        members = before.members(old)
        if not members:
            return [Guess({3, 4}, before)]
        entry = before.files.get(new)
        inside = f"{new}/{old.rsplit('/', 1)[-1]}"
        is_folder = entry is not None and entry.kind == "folder"
        moved = before.files.get(old)
        is_there = moved is not None and (moved.kind == "folder") == (before.live(old) is None)
        if is_folder and old != new and is_there:
            return self.rename_to(before, old, inside)
        if is_folder or any(name.startswith(new + "/") for name in before.names()):
            # What is moved is gone, or all that is in that folder: it can be meant either way.
            return self.rename_to(before, old, inside) + self.rename_to(before, old, new)
        return self.rename_to(before, old, new)

    def rename_to(self, before: World, old: str, new: str) -> list[Guess]:
        if old == new:
            return [Guess({0, 1, 4}, before)]
        rename = self.rename_folder if before.live(old) is None else self.rename_note
        return rename(before, old, new)

    def rename_note(self, before: World, old: str, new: str) -> list[Guess]:
        world = before.clone()
        note = world.live(old)
        note.deleted = True  # its own name is not in its way
        crossing = world.crossing(new)
        note.deleted = False
        there, standing = before.files.get(old), before.files.get(new)
        if before.live(new) is not None or crossing:
            return [Guess({4}, before)]
        note.name = new
        if standing is not None:
            made = (there is None or there.kind == "folder") and standing.kind == "file"
            return [Guess({0}, world)] if made else [Guess({4}, before)]
        if there is None or there.kind == "folder" or before.place(old) == "blocked":
            return [Guess({0}, world), Guess({3, 4}, before)]
        if before.place(new) == "blocked":
            return [Guess({4}, before)]
        world.put(new, b"")
        world.files[new] = world.files.pop(old)
        moved = Guess({0}, world)
        return [moved] if before.place(old) == "file" else [moved, Guess({4}, before)]

    def rename_folder(self, before: World, old: str, new: str) -> list[Guess]:
        if new == old or new.startswith(old + "/"):
            return [Guess({4}, before)]
        world = before.clone()
        for note in world.members(old):
            note.name = new + note.name[len(old):]
        names = world.names()
        if len(set(names)) < len(names) or any(world.crossing(name) for name in names):
            return [Guess({4}, before)]
        entry = before.files.get(old)
        if entry is None:
            standing = before.files.get(new)
            if standing is not None and standing.kind == "folder":
                return [Guess({0}, world), Guess({4}, before)]
            return [Guess({0}, world), Guess({3, 4}, before)]
        if before.place(new) != "free" or entry.kind != "folder":
            return [Guess({4}, before), Guess({0}, world)]
        world.put(new + "/x", b"")
        del world.files[new + "/x"]
        for name in [name for name in before.files if name == old or name.startswith(old + "/")]:
            world.files[new + name[len(old):]] = world.files.pop(name)
        return [Guess({0}, world), Guess({4}, before)]

    def remove(self, before: World, names: list[str]) -> list[Guess]:
        world, codes = before.clone(), set()
        for name in names:
            members = world.members(name)
            if not members:
                codes |= {3, 4}
                continue
            places = {world.place(note.name) for note in members}
            if not places <= {"free", "file"}:
                if len(members) > 1 or "blocked" in places:
                    return []  # which of them are done is left open
                codes |= {4}
                continue
            for note in members:
                if world.place(note.name) == "file":
                    self.capture(world, note)
                    del world.files[note.name]
                note.deleted = True
        return [Guess(codes or {0}, world)]

    def undelete(self, before: World, name: str) -> list[Guess]:
        candidates = [note for note in before.notes if note.deleted and note.name == name]
        if not candidates:
            return [Guess({3, 4}, before)]
        place = before.place(name)
        if before.live(name) or before.crossing(name) or place not in ("free", "file"):
            return [Guess({3, 4}, before)]
        guesses = [Guess({3}, before)] if len(candidates) > 1 else []
        for candidate in candidates:
            world = before.clone()
            note = world.notes[before.notes.index(candidate)]
            there = before.text(name)
            if there is not None and there.digest != note.digest:
                guesses.append(Guess({4}, before))
                continue
            note.deleted = False
            world.put(name, self.texts[note.digest])
            guesses.append(Guess({0}, world))
        return guesses
