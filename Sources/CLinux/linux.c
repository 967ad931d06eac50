#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/falloc.h>
#include <pthread.h>
#include <stdio.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int reelfs_punch_hole(int descriptor, int64_t offset, int64_t count) {
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, count);
}

int reelfs_openat(int directory, const char *path, int flags, unsigned int mode) {
    return openat(directory, path, flags | O_CLOEXEC | O_NOFOLLOW, mode);
}

int reelfs_open_path(const char *path) { return open(path, O_PATH | O_CLOEXEC); }

int reelfs_rename_new(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE); }

int reelfs_syncfs(int descriptor) { return syncfs(descriptor); }

void reelfs_start_writing(int descriptor, int64_t offset, int64_t count) {
    sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
}

int32_t reelfs_thread_id(void) { return (int32_t)syscall(SYS_gettid); }

void reelfs_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int reelfs_random(void *bytes, size_t count) {
    unsigned char *next = bytes;
    while (count > 0) {
        ssize_t got = getrandom(next, count, 0);
        if (got < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        next += got;
        count -= (size_t)got;
    }
    return 0;
}

int reelfs_unmount(const char *path, int lazy) { return umount2(path, UMOUNT_NOFOLLOW | (lazy ? MNT_DETACH : 0)); }

int64_t reelfs_peer_uid(int socket) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    return (int64_t)peer.uid;
}

int reelfs_spawn_close_from(void *actions, int first) { return posix_spawn_file_actions_addclosefrom_np(actions, first); }

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info, (void)type, (void)where;
    remove(path);
    return 0;
}

int reelfs_remove_tree(const char *path) { return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT); }

int reelfs_memory_file(const char *name) {
    int descriptor = memfd_create(name, MFD_CLOEXEC);
    if (descriptor >= 0 && fcntl(descriptor, F_SETFL, O_APPEND) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}
