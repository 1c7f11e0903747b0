-- When the lock file was made, in nanoseconds since 1970: a copy of the store can have a lock file of the same inode. And the
-- same of the index: one that was put back over the store, from an earlier copy, is another file. NULL: not known.
ALTER TABLE place ADD COLUMN lock_birth INTEGER;
ALTER TABLE place ADD COLUMN index_inode INTEGER;
ALTER TABLE place ADD COLUMN index_birth INTEGER;
