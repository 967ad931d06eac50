#ifndef REELFS_CFUSE_H
#define REELFS_CFUSE_H

// libfuse 3, low-level interface. The version is that of the interface, not of the library.
#define FUSE_USE_VERSION 312

#include <fuse_lowlevel.h>

#endif
