/// Writes TOML values (TOML 1.0): strings always as basic strings on one line, so that no content can end them.
enum TomlWriter {
    static func line(_ key: String, _ value: TomlValue) -> String { self.key(key) + " = " + text(value) }

    static func key(_ text: String) -> String {
        let isBare =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        return isBare ? text : string(text)
    }

    static func text(_ value: TomlValue) -> String {
        switch value {
        case .string(let text): string(text)
        case .integer(let number): String(number)
        case .real(let number): real(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .date(let text): text
        case .array(let items): "[" + items.map(text).joined(separator: ", ") + "]"
        case .table(let entries):
            "{" + entries.sorted { $0.key < $1.key }.map { " \(key($0.key)) = \(text($0.value))" }.joined(separator: ",") + " }"
        }
    }

    private static func real(_ number: Double) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number < 0 ? "-inf" : "inf" }
        return "\(number)"
    }

    private static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
