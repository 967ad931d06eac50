#ifndef REELFS_CLINUX_H
#define REELFS_CLINUX_H

// Linux calls that the Glibc module of Swift lacks, and the CRC32C instruction.
// _GNU_SOURCE is defined in the .c files only: in a module's header it breaks the build of other system modules.

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// CRC32C (Castagnoli, RFC 3720 appendix B.4) of `count` bytes, continuing from `seed`; start with 0.
uint32_t reelfs_crc32c(uint32_t seed, const void *bytes, size_t count);

/// The same without the instruction, whatever the processor: for tests and for processors that lack it.
uint32_t reelfs_crc32c_by_table(uint32_t seed, const void *bytes, size_t count);

/// fallocate(2) with FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE. 0, or -1 with errno.
int reelfs_punch_hole(int descriptor, int64_t offset, int64_t count);

/// Opens the file, relative to a directory descriptor, without following a final symbolic link.
int reelfs_openat(int directory, const char *path, int flags, unsigned int mode);

/// open(2) with O_PATH: names a place without asking its file system, so that it works on a mount that does not answer.
int reelfs_open_path(const char *path);

/// renameat2(2) with RENAME_NOREPLACE: EEXIST when something is there. 0, or -1 with errno; EINVAL where the file system cannot.
int reelfs_rename_new(const char *from, const char *to);

/// syncfs(2). 0, or -1 with errno.
int reelfs_syncfs(int descriptor);

/// Begins to write a range of a file's pages to its disk, without waiting for it (sync_file_range(2)). A hint: errors show
/// when the file is synced.
void reelfs_start_writing(int descriptor, int64_t offset, int64_t count);

/// gettid(2).
int32_t reelfs_thread_id(void);

/// Names the calling thread (at most 15 bytes), as `ps -L` and debuggers show it.
void reelfs_name_thread(const char *name);

/// Fills the buffer with random bytes from getrandom(2). 0, or -1 with errno.
int reelfs_random(void *bytes, size_t count);

/// umount2(2): `lazy` detaches at once (MNT_DETACH). Never follows a symbolic link. 0, or -1 with errno.
int reelfs_unmount(const char *path, int lazy);

/// SO_PEERCRED: the user id of the process at the other end of a Unix socket, or -1 with errno.
int64_t reelfs_peer_uid(int socket);

/// posix_spawn_file_actions_addclosefrom_np(3): the child closes every descriptor from `first` on. `actions` is a
/// `posix_spawn_file_actions_t *`. 0, or an error number.
int reelfs_spawn_close_from(void *actions, int first);

/// Removes a directory and what is in it, on its own file system only: a mount below it is never entered. No symbolic link is
/// followed. What cannot be removed stays. 0, or -1 with errno.
int reelfs_remove_tree(const char *path);

/// An anonymous file in memory that writers append to, closed in children. A descriptor, or -1 with errno.
int reelfs_memory_file(const char *name);

#endif
