#ifndef REELFS_WRAPPED_H
#define REELFS_WRAPPED_H

// Headers that import into Swift as they are, but that the Glibc module leaves out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/xattr.h>

#endif
