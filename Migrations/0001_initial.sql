-- The first layout of the index. It is a view of the operation log: all but `place`, `outline`, `record` and `journal`
-- can be made again from the log. docs/format.md tells what each table holds.
--
-- Times are milliseconds since 1970 in UTC. An operation is a number, 1, 2, 3, … in the order in which operations
-- happened in this store; operation - device.base is its sequence number in its device's log.

CREATE TABLE device (
    device INTEGER PRIMARY KEY,
    id     BLOB NOT NULL UNIQUE CHECK (length(id) = 8),
    base   INTEGER NOT NULL,
    store  BLOB NOT NULL CHECK (length(store) = 16)   -- the store's identity; a copy has the same
) STRICT;

-- What this copy of the store last ran on. Another machine or another lock file begins a new device.
CREATE TABLE place (
    only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
    machine    BLOB,
    lock_inode INTEGER NOT NULL
) STRICT;

CREATE TABLE note (
    note    INTEGER PRIMARY KEY,
    id      BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    name    BLOB NOT NULL,
    head    INTEGER NOT NULL,
    deleted INTEGER               -- the operation that deleted it; NULL: it lives
) STRICT;
CREATE UNIQUE INDEX note_live_name ON note (name) WHERE deleted IS NULL;
CREATE INDEX note_deleted_name ON note (name) WHERE deleted IS NOT NULL;

-- Names that notes gave up: the name a note bore until that operation.
CREATE TABLE former_name (
    note      INTEGER NOT NULL REFERENCES note,
    operation INTEGER NOT NULL,
    time      INTEGER NOT NULL,
    name      BLOB NOT NULL,
    PRIMARY KEY (note, operation)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_name_name ON former_name (name);

-- Each hash stands once, here; its look-up needs no more than the first eight bytes.
CREATE TABLE object (
    object INTEGER PRIMARY KEY,
    hash   BLOB NOT NULL CHECK (length(hash) = 32),
    size   INTEGER NOT NULL
) STRICT;
CREATE INDEX object_hash ON object (substr(hash, 1, 8));

-- Digests of the blocks of large objects, by which a part of one can be checked without reading the rest: of each
-- mebibyte, and of what is left at the end, the first 16 bytes of its SHA-256. Not in the log; may be missing.
CREATE TABLE outline (
    object INTEGER PRIMARY KEY REFERENCES object,
    blocks BLOB NOT NULL
) STRICT;

CREATE TABLE version (
    note      INTEGER NOT NULL REFERENCES note,
    number    INTEGER NOT NULL,
    operation INTEGER NOT NULL,
    parent    INTEGER,            -- NULL: number - 1, the usual case; 0: none
    object    INTEGER NOT NULL REFERENCES object,
    time      INTEGER NOT NULL,
    kind      INTEGER NOT NULL,   -- 1 save, 2 capture, 3 restore, 4 import, 5 merge
    redo      INTEGER,            -- the child that undo last left
    PRIMARY KEY (note, number)
) STRICT, WITHOUT ROWID;

-- Parents of a merge after the first.
CREATE TABLE merge_parent (
    note     INTEGER NOT NULL,
    number   INTEGER NOT NULL,
    position INTEGER NOT NULL,
    parent   INTEGER NOT NULL,
    PRIMARY KEY (note, number, position)
) STRICT, WITHOUT ROWID;

-- Where undo and redo moved the head; a new version moves it as well and needs no row here.
CREATE TABLE head_move (
    note      INTEGER NOT NULL REFERENCES note,
    operation INTEGER NOT NULL,
    time      INTEGER NOT NULL,
    head      INTEGER NOT NULL,
    PRIMARY KEY (note, operation)
) STRICT, WITHOUT ROWID;

CREATE TABLE label (
    note   INTEGER NOT NULL,
    number INTEGER NOT NULL,
    text   TEXT NOT NULL,
    PRIMARY KEY (note, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE pin (
    note   INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (note, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE bookmark (
    note      INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    operation INTEGER NOT NULL,   -- the one that recorded it, which tells what was head then
    PRIMARY KEY (note, number)
) STRICT, WITHOUT ROWID;

-- Records of operations that are not known to be in the log for good. The newest one is never dropped: it tells where
-- the log must end. `journaled` counts the bytes that ever went through the journal, this operation's included.
CREATE TABLE record (
    operation INTEGER PRIMARY KEY,
    segment   INTEGER NOT NULL,
    start     INTEGER NOT NULL,
    bytes     BLOB NOT NULL,
    journaled INTEGER NOT NULL
) STRICT;

-- Texts that are not known to be in the object tree for good. `operation` is the number of the operation that put
-- the text here, or of the next one where the text came again without one; a flush of older operations leaves it be.
CREATE TABLE journal (
    object    INTEGER PRIMARY KEY REFERENCES object,
    operation INTEGER NOT NULL,
    bytes     BLOB NOT NULL
) STRICT;
