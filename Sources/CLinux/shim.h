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
#include <unistd.h>

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

#endif
