#ifndef REELFS_CTOML_H
#define REELFS_CTOML_H

// A flat C face on toml++: a document becomes a list of nodes in depth-first order. No C++ type or exception leaves it.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    REELFS_TOML_TABLE = 0,
    REELFS_TOML_ARRAY = 1,
    REELFS_TOML_STRING = 2,
    REELFS_TOML_INTEGER = 3,
    REELFS_TOML_REAL = 4,
    REELFS_TOML_BOOLEAN = 5,
    /// A date, a time or both: `text` holds it as written in RFC 3339.
    REELFS_TOML_DATE = 6,
};

typedef struct reelfs_toml reelfs_toml;

/// One value. `key` is NULL for the root and for items of arrays. Texts are UTF-8, not terminated, and live as long as the document.
typedef struct {
    int32_t kind;
    /// The node that holds this one; the root (number 0) names itself.
    size_t parent;
    const char *key;
    size_t key_count;
    const char *text;
    size_t text_count;
    int64_t integer;
    double real;
    /// First and last line of the value, counted from 1; 0 when the parser did not tell.
    uint32_t first_line;
    uint32_t last_line;
} reelfs_toml_node;

/// Parses a document. NULL only when memory ran out. A document with an error has no nodes.
reelfs_toml *reelfs_toml_parse(const char *text, size_t count);

/// Why the text was refused, or NULL when it was not. `line` is set when there is a reason.
const char *reelfs_toml_error(const reelfs_toml *document, uint32_t *line);

/// How many nodes there are; at least 1 (the root table) when there is no error.
size_t reelfs_toml_count(const reelfs_toml *document);

/// Fills `node`. 0 when there is no such number.
int reelfs_toml_get(const reelfs_toml *document, size_t number, reelfs_toml_node *node);

void reelfs_toml_free(reelfs_toml *document);

#ifdef __cplusplus
}
#endif

#endif
