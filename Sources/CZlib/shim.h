// zlib: inflates the frames of compressed tracks. From memory into memory; it opens no files here.
#include <zlib.h>

/// `inflateInit` is a macro.
static inline int shim_inflate_init(z_stream *stream) { return inflateInit(stream); }
