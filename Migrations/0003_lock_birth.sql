-- When the lock file was made, in nanoseconds since 1970: a copy of the store can have a lock file of the same inode. NULL
-- where the file system does not say.
ALTER TABLE place ADD COLUMN lock_birth INTEGER;
