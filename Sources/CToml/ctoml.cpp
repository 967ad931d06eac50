#include "ctoml.h"

// toml++ 3.3 meets some malformed documents with a failed assertion, and with NDEBUG it takes what it asserts for granted, which is
// undefined behaviour. So its assertions are on in every build, and a failed one is a refused document.
#undef NDEBUG
namespace {
struct AssertionFailed {};
} // namespace
#define TOML_ASSERT(expr) (static_cast<bool>(expr) ? static_cast<void>(0) : throw AssertionFailed{})

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_UNRELEASED_FEATURES 0
#include <toml++/toml.h>

#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Node {
    int32_t kind;
    size_t parent;
    bool has_key;
    std::string key;
    std::string text;
    int64_t integer;
    double real;
    uint32_t first_line;
    uint32_t last_line;
};

/// toml++ bounds the nesting of values (256) but not that of dotted keys, whose tables it frees by recursion. A key stands on one
/// line, so bounding the dots of a line bounds the depth; no sensible line of a configuration has so many.
constexpr size_t most_dots_in_a_line = 512;

uint32_t line_with_too_many_dots(std::string_view text) {
    uint32_t line = 1;
    size_t dots = 0;
    for (char byte : text) {
        if (byte == '\n') {
            line++;
            dots = 0;
        } else if (byte == '.' && ++dots > most_dots_in_a_line) {
            return line;
        }
    }
    return 0;
}

void flatten(const toml::node &node, const std::string_view *key, size_t parent, std::vector<Node> &nodes) {
    Node out{};
    out.parent = parent;
    out.has_key = key != nullptr;
    if (key) out.key.assign(*key);
    out.first_line = node.source().begin.line;
    out.last_line = node.source().end.line;
    const size_t number = nodes.size();
    switch (node.type()) {
    case toml::node_type::table:
        out.kind = REELFS_TOML_TABLE;
        nodes.push_back(std::move(out));
        for (const auto &entry : *node.as_table()) {
            const std::string_view name = entry.first.str();
            flatten(entry.second, &name, number, nodes);
        }
        return;
    case toml::node_type::array:
        out.kind = REELFS_TOML_ARRAY;
        nodes.push_back(std::move(out));
        for (const auto &item : *node.as_array()) flatten(item, nullptr, number, nodes);
        return;
    case toml::node_type::string:
        out.kind = REELFS_TOML_STRING;
        out.text = node.as_string()->get();
        break;
    case toml::node_type::integer:
        out.kind = REELFS_TOML_INTEGER;
        out.integer = node.as_integer()->get();
        break;
    case toml::node_type::floating_point:
        out.kind = REELFS_TOML_REAL;
        out.real = node.as_floating_point()->get();
        break;
    case toml::node_type::boolean:
        out.kind = REELFS_TOML_BOOLEAN;
        out.integer = node.as_boolean()->get() ? 1 : 0;
        break;
    default: {
        out.kind = REELFS_TOML_DATE;
        std::ostringstream text;
        if (auto date = node.as_date()) text << date->get();
        else if (auto time = node.as_time()) text << time->get();
        else if (auto both = node.as_date_time()) text << both->get();
        out.text = text.str();
        break;
    }
    }
    nodes.push_back(std::move(out));
}

} // namespace

struct reelfs_toml {
    std::vector<Node> nodes;
    std::string error;
    uint32_t error_line = 0;
    bool failed = false;
};

extern "C" reelfs_toml *reelfs_toml_parse(const char *text, size_t count) try {
    auto document = std::make_unique<reelfs_toml>();
    const std::string_view all(text, count);
    const auto refuse = [&](std::string_view reason, uint32_t line) {
        document->nodes.clear();
        document->failed = true;
        document->error.assign(reason);
        document->error_line = line;
    };
    if (uint32_t line = line_with_too_many_dots(all)) {
        refuse("too many dots in one line", line);
        return document.release();
    }
    try {
        flatten(toml::parse(all), nullptr, 0, document->nodes);
    } catch (const toml::parse_error &error) {
        refuse(error.description(), error.source().begin.line);
    } catch (const AssertionFailed &) {
        refuse("it is malformed", 0);
    }
    return document.release();
} catch (...) {
    return nullptr;
}

extern "C" const char *reelfs_toml_error(const reelfs_toml *document, uint32_t *line) {
    if (!document->failed) return nullptr;
    if (line) *line = document->error_line;
    return document->error.c_str();
}

extern "C" size_t reelfs_toml_count(const reelfs_toml *document) { return document->nodes.size(); }

extern "C" int reelfs_toml_get(const reelfs_toml *document, size_t number, reelfs_toml_node *node) {
    if (number >= document->nodes.size()) return 0;
    const Node &from = document->nodes[number];
    node->kind = from.kind;
    node->parent = from.parent;
    node->key = from.has_key ? from.key.data() : nullptr;
    node->key_count = from.key.size();
    node->text = from.text.data();
    node->text_count = from.text.size();
    node->integer = from.integer;
    node->real = from.real;
    node->first_line = from.first_line;
    node->last_line = from.last_line;
    return 1;
}

extern "C" void reelfs_toml_free(reelfs_toml *document) { delete document; }
