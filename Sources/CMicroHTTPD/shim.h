#ifndef REELFS_CMICROHTTPD_H
#define REELFS_CMICROHTTPD_H

#include <microhttpd.h>
#include <string.h>

/// Leaves the target's percent-encoding alone: decoding twice, or before the path is split, is how servers get tricked.
static size_t reelfs_mhd_keep_escaped(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/// `MHD_start_daemon` is variadic, which Swift cannot call. `options` ends with `MHD_OPTION_END`.
static inline struct MHD_Daemon *reelfs_mhd_start(unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
                                                  struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_UNESCAPE_CALLBACK, &reelfs_mhd_keep_escaped, NULL,
                            MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

#endif
