internal import CToml

/// A value of a TOML document.
enum TomlValue: Hashable, Sendable {
    case string(String), integer(Int64), real(Double), boolean(Bool), date(String)
    case array([TomlValue])
    case table([String: TomlValue])
}

/// A parsed document: the values of its top level, and where they stand.
struct TomlDocument: Sendable {
    struct Entry: Hashable, Sendable {
        var value: TomlValue
        /// Lines from 1 that the value takes; the key stands on the first. For tables 0...0: they may be in several places.
        var lines: ClosedRange<Int>
    }

    struct Failure: Error, Hashable, Sendable {
        var message: String
        var line: UInt32
    }

    private(set) var entries: [String: Entry] = [:]

    init(parsing text: String) throws(Failure) {
        var text = text
        let document = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { reelfs_toml_parse($0.baseAddress, $0.count) }
        }
        guard let document else { throw Failure(message: "not enough memory", line: 0) }
        defer { reelfs_toml_free(document) }
        var line: UInt32 = 0
        if let reason = reelfs_toml_error(document, &line) { throw Failure(message: String(cString: reason), line: line) }
        self.init(nodesOf: document)
    }

    /// The nodes come parents first, so going backwards every container is complete when its turn comes.
    private init(nodesOf document: OpaquePointer) {
        let count = reelfs_toml_count(document)
        var keyed: [Int: [String: TomlValue]] = [:]
        var listed: [Int: [TomlValue]] = [:]  // in reverse order
        for number in stride(from: count - 1, through: 1, by: -1) {
            var node = reelfs_toml_node()
            guard reelfs_toml_get(document, number, &node) != 0 else { continue }
            let value: TomlValue
            switch Int(node.kind) {
            case REELFS_TOML_TABLE: value = .table(keyed.removeValue(forKey: number) ?? [:])
            case REELFS_TOML_ARRAY: value = .array((listed.removeValue(forKey: number) ?? []).reversed())
            case REELFS_TOML_STRING: value = .string(Self.text(node.text, node.text_count))
            case REELFS_TOML_INTEGER: value = .integer(node.integer)
            case REELFS_TOML_REAL: value = .real(node.real)
            case REELFS_TOML_BOOLEAN: value = .boolean(node.integer != 0)
            default: value = .date(Self.text(node.text, node.text_count))
            }
            let parent = Int(node.parent)
            if let key = node.key {
                let name = Self.text(key, node.key_count)
                keyed[parent, default: [:]][name] = value
                if parent == 0 {
                    let first = Int(node.first_line)
                    let isPlain = if case .table = value { false } else { first > 0 }
                    entries[name] = Entry(value: value, lines: isPlain ? first...max(first, Int(node.last_line)) : 0...0)
                }
            } else {
                listed[parent, default: []].append(value)
            }
        }
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        guard let start else { return "" }
        return UnsafeBufferPointer(start: start, count: count).withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
    }
}
