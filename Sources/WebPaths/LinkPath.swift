internal import Bytes

/// The path of a URL (RFC 3986 §3.3) in two forms: decoded segments to compare and to name by, and the encoded text to
/// ask with. Segments are split at `/` before they are decoded, so an encoded slash stays inside its name.
package struct LinkPath: Hashable, Sendable {
    /// Decoded, any bytes; empty segments (`//`) are left out.
    package let segments: [[UInt8]]
    package let endsWithSlash: Bool
    /// Fit for a request line: escapes stay as they were written, bytes that may not stand there are escaped. Begins
    /// with exactly one `/`.
    package let encoded: String

    /// - Parameter path: an absolute path, percent-encoded more or less well: blanks, raw UTF-8, and lone `%` are taken.
    /// - Returns: `nil` for a path that is not absolute or has a segment meaning `.` or `..`, encoded or not.
    package init?(_ path: ArraySlice<UInt8>) {
        guard path.first == 0x2F else { return nil }
        var segments: [[UInt8]] = []
        var start = path.startIndex
        while start < path.endIndex {
            let end = path[start...].firstIndex(of: 0x2F) ?? path.endIndex
            if end > start {
                let segment = LinkPath.decoded(path[start..<end])
                if segment == [0x2E] || segment == [0x2E, 0x2E] { return nil }
                segments.append(segment)
            }
            start = end + 1
        }
        self.segments = segments
        endsWithSlash = segments.isEmpty || path.last == 0x2F
        encoded = LinkPath.escaped(path.drop { $0 == 0x2F })
    }

    package init?(_ path: [UInt8]) { self.init(path[...]) }

    package init?(_ path: String) { self.init(Array(path.utf8)) }

    /// The name of this path inside `directory`, if it is exactly one segment deeper.
    package func name(in directory: LinkPath) -> [UInt8]? {
        guard segments.count == directory.segments.count + 1, segments.starts(with: directory.segments) else { return nil }
        return segments.last
    }

    /// Whether this path is `directory` or anything below it.
    package func isInside(_ directory: LinkPath) -> Bool { segments.starts(with: directory.segments) }

    /// The same path written as a directory's.
    package var asDirectory: String { encoded.utf8.last == 0x2F ? encoded : encoded + "/" }

    /// The same path written as a file's.
    package var asFile: String {
        var text = encoded
        while text.utf8.count > 1, text.utf8.last == 0x2F { text.removeLast() }
        return text
    }

    /// The absolute path that `reference` means on a page at `base` (RFC 3986 §5.2.3, §5.2.4), still encoded.
    package static func resolve(_ reference: [UInt8], against base: String) -> [UInt8] {
        var merged: [UInt8]
        if reference.first == 0x2F {
            merged = reference
        } else if reference.isEmpty {
            merged = Array(base.utf8)
        } else {
            let directory = Array(base.utf8)
            merged = directory.lastIndex(of: 0x2F).map { Array(directory[...$0]) } ?? [0x2F]
            merged += reference
        }
        return withoutDots(merged)
    }

    private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
        var kept: [ArraySlice<UInt8>] = []
        let parts = path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            if part.elementsEqual([0x2E]) {
                if isLast { kept.append([]) }
            } else if part.elementsEqual([0x2E, 0x2E]) {
                if !kept.isEmpty { kept.removeLast() }
                if isLast { kept.append([]) }
            } else {
                kept.append(part)
            }
        }
        var result: [UInt8] = []
        for part in kept {
            result.append(0x2F)
            result += part
        }
        return result.isEmpty ? [0x2F] : result
    }
}

extension LinkPath {
    /// The bytes meant by an encoded text; a `%` without two hexadecimal digits stands for itself.
    package static func decoded(_ part: ArraySlice<UInt8>) -> [UInt8] {
        let source = Array(part)
        guard source.contains(0x25) else { return source }
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            if source[index] == 0x25, index + 2 < source.count, let high = hexValue(source[index + 1]), let low = hexValue(source[index + 2]) {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(source[index])
                index += 1
            }
        }
        return result
    }

    package static func decoded(_ part: [UInt8]) -> [UInt8] { decoded(part[...]) }

    /// One name as a segment, everything but unreserved characters escaped.
    package static func encodedSegment(_ name: [UInt8]) -> String { PercentCoding.encodeSegment(name) }

    /// `/` and the text, with every byte escaped that RFC 3986 does not allow in a path; escapes in it stay untouched.
    private static func escaped(_ path: ArraySlice<UInt8>) -> String {
        let source = Array(path)
        var result: [UInt8] = []
        result.reserveCapacity(source.count + 1)
        result.append(0x2F)
        guard !source.allSatisfy(isPathByte) else {
            result += source
            return String(decoding: result, as: UTF8.self)
        }
        for (index, byte) in source.enumerated() {
            let isEscape = byte == 0x25 && index + 2 < source.count && hexValue(source[index + 1]) != nil && hexValue(source[index + 2]) != nil
            if isEscape || isPathByte(byte) {
                result.append(byte)
            } else {
                result += PercentCoding.encodeSegment([byte]).utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// `pchar` and `/` (RFC 3986 §3.3).
    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"): true
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x57
        case 0x41...0x46: digit - 0x37
        default: nil
        }
    }
}
