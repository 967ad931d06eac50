/// Names for files that stand alone behind a URL.
package enum FileNameHint {
    /// Linux's limit for one name; what is longer cannot have been meant as one.
    private static let maximumLength = 255

    /// The file name in a `Content-Disposition` field (RFC 6266), reduced to one safe path segment: `filename*`
    /// (RFC 8187) before `filename`; directories in it are cut off, control characters dropped.
    package static func contentDisposition(_ field: String) -> [UInt8]? {
        let parameters = parameters(of: Array(field.utf8))
        if let extended = parameters.first(where: { $0.name == "filename*" })?.value, let name = extendedValue(extended).flatMap(segment) {
            return name
        }
        return parameters.first { $0.name == "filename" }.flatMap { segment($0.value) }
    }

    /// The decoded last segment of an encoded path; `nil` when there is none.
    package static func path(_ path: String) -> [UInt8]? { LinkPath(path)?.segments.last.flatMap(segment) }

    private static func segment(_ bytes: [UInt8]) -> [UInt8]? {
        let last = bytes.split(whereSeparator: { $0 == 0x2F || $0 == 0x5C }).last ?? []
        let name = LinkReference.trimmed(last.filter { $0 >= 0x20 && $0 != 0x7F })
        guard !name.isEmpty, name != [0x2E], name != [0x2E, 0x2E], name.count <= maximumLength else { return nil }
        return name
    }

    /// `UTF-8'en'%e4%b8%ad` (RFC 8187 §3.2.1). ISO-8859-1, the other charset once required, is taken too.
    private static func extendedValue(_ value: [UInt8]) -> [UInt8]? {
        let parts = value.split(separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = LinkPath.decoded(parts[2])
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self).map { Array($0.utf8) }
        case "iso-8859-1": return bytes.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
        default: return nil
        }
    }

    /// `; name=token` and `; name="quoted \" string"` behind the disposition type.
    private static func parameters(of field: [UInt8]) -> [(name: String, value: [UInt8])] {
        var found: [(name: String, value: [UInt8])] = []
        var index = field.firstIndex(of: UInt8(ascii: ";")) ?? field.endIndex
        while index < field.count {
            index += 1
            let nameStart = index
            while index < field.count, field[index] != UInt8(ascii: "="), field[index] != UInt8(ascii: ";") { index += 1 }
            let name = String(decoding: LinkReference.trimmed(Array(field[nameStart..<index])), as: UTF8.self).lowercased()
            guard index < field.count, field[index] == UInt8(ascii: "=") else { continue }
            index += 1
            while index < field.count, field[index] == 0x20 || field[index] == 0x09 { index += 1 }
            var value: [UInt8] = []
            if index < field.count, field[index] == UInt8(ascii: "\"") {
                index += 1
                while index < field.count, field[index] != UInt8(ascii: "\"") {
                    if field[index] == UInt8(ascii: "\\"), index + 1 < field.count { index += 1 }
                    value.append(field[index])
                    index += 1
                }
                while index < field.count, field[index] != UInt8(ascii: ";") { index += 1 }
            } else {
                while index < field.count, field[index] != UInt8(ascii: ";") {
                    value.append(field[index])
                    index += 1
                }
                value = LinkReference.trimmed(value)
            }
            found.append((name, value))
        }
        return found
    }
}
