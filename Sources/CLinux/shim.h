// Linux system calls that glibc's Swift module lacks, or that take variable arguments.
#ifndef STET_CLINUX_H
#define STET_CLINUX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <errno.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

/* Declared here, since <sys/xattr.h> brings in <sys/types.h>: with _GNU_SOURCE its fd_set has another member than in
   glibc's Swift module, and a debug build from nothing fails. */
ssize_t flistxattr(int descriptor, char *list, size_t size);
ssize_t fgetxattr(int descriptor, const char *name, void *value, size_t size);
int fsetxattr(int descriptor, const char *name, const void *value, size_t size, int flags);

static inline int stet_open(const char *path, int flags, mode_t mode) {
    return open(path, flags, mode);
}

static inline int stet_syncfs(int descriptor) {
    return (int)syscall(SYS_syncfs, descriptor);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Gives mapped pages their room on the disk. Returns 0 only where there is none; a kernel before 5.14 cannot tell. */
static inline int stet_populate(void *start, size_t size) {
    return madvise(start, size, MADV_POPULATE_WRITE) == 0 || errno != EFAULT;
}

static inline int stet_openat(int folder, const char *name, int flags, mode_t mode) {
    return openat(folder, name, flags, mode);
}

static inline int stet_renameat2(int folder, const char *name, int target_folder, const char *target, unsigned flags) {
    return (int)syscall(SYS_renameat2, folder, name, target_folder, target, flags);
}

/* When a file was made, in nanoseconds since 1970; 0 where the file system does not say. No program can set it. */
static inline long long stet_birth(const char *path) {
    struct statx status;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) != 0 || !(status.stx_mask & STATX_BTIME)) return 0;
    return status.stx_btime.tv_sec * 1000000000LL + status.stx_btime.tv_nsec;
}

/* 1: nobody has the file open for writing; 0: somebody has; -1: this file system cannot say.
   A read lease is given only where there is no writer. Somebody who opens the file while the lease is held waits until
   it is given back, which is at once, and this process is told by a signal: one that is ignored unless asked for. */
static inline int stet_has_no_writer(int descriptor) {
    if (fcntl(descriptor, F_SETSIG, SIGURG) != 0) return -1;
    if (fcntl(descriptor, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN ? 0 : -1;
    fcntl(descriptor, F_SETLEASE, F_UNLCK);
    return 1;
}

#endif
