internal import WebPaths

/// A list of links, taken from text. The good lines and what was wrong with the others.
package struct ParsedURLList: Sendable {
    package struct Item: Hashable, Sendable {
        package var line: Int
        /// As written; its scheme is `http` or `https`, the rest is for the transport to judge.
        package var url: String
        /// Directories, then the file: never empty, no segment is empty, `.` or `..`.
        package var path: [[UInt8]]
        /// As the list states it. A probe is spared only by this.
        package var size: UInt64?
    }

    package struct Problem: Hashable, Sendable {
        package var line: Int
        package var message: String
    }

    package var items: [Item] = []
    package var problems: [Problem] = []
}

/// Reads the text of a `list` source:
///
///     file  = [BOM] *(line (LF / CRLF / CR))
///     line  = blank / "#" anything / URL ["|" name ["|" size]]
///
/// White space around each part is dropped. The URL is absolute, http or https, without user information; a bar in it is
/// written `%7C`. The name is UTF-8 or any other bytes, and may hold `/` for directories; without one, or with an empty
/// one, the decoded last segment of the URL's path is the name. The size is in bytes, decimal.
package enum URLListParser {
    /// A list is held in memory; a line of it is a URL of at most 8 KiB and a path of at most 4 KiB.
    private static let maximumLine = 16 * 1024
    private static let maximumItems = 1_000_000
    /// Bytes of a path, as Linux takes them (PATH_MAX).
    private static let maximumPath = 4096
    /// Names in one path. Each directory has a locator that holds all above it, so that depth costs by its square.
    private static let maximumDepth = 64
    private static let maximumProblems = 1000

    package static func parse(_ text: [UInt8]) -> ParsedURLList {
        var list = ParsedURLList()
        var rest = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text[3...] : text[...]
        var number = 0
        while !rest.isEmpty {
            number += 1
            let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...]
            rest = rest.dropFirst(rest.starts(with: [0x0D, 0x0A]) ? 2 : 1)
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            do throws(LineFault) {
                guard let item = try item(line, number) else { continue }
                guard list.items.count < maximumItems else {
                    list.problems.append(.init(line: number, message: "the list is longer than \(maximumItems) links; the rest is left out"))
                    break
                }
                list.items.append(item)
            } catch {
                if list.problems.count < maximumProblems { list.problems.append(.init(line: number, message: error.message)) }
            }
        }
        return list
    }

    private struct LineFault: Error { let message: String }

    private static func item(_ line: ArraySlice<UInt8>, _ number: Int) throws(LineFault) -> ParsedURLList.Item? {
        guard line.count <= maximumLine else { throw LineFault(message: "the line is too long") }
        let parts = line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false).map { LinkReference.trimmed(Array($0)) }
        guard let url = parts.first, !(url.isEmpty && parts.count == 1) else { return nil }
        if url.first == UInt8(ascii: "#") { return nil }
        guard parts.count <= 3 else { throw LineFault(message: "more than URL|name|size; a bar in a link is written %7C") }
        guard let urlText = String(validating: url, as: UTF8.self), !urlText.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw LineFault(message: "the link holds blanks or bytes that are no UTF-8")
        }
        let reference = LinkReference(url)
        guard let scheme = reference.scheme, scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8),
            reference.authority?.isEmpty == false
        else {
            throw LineFault(message: "no absolute http or https link")
        }
        let authority = url.split(separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: true).dropFirst().first ?? []
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw LineFault(message: "user information in the link is not taken; give it to the source with --user")
        }
        let size = parts.count == 3 && !parts[2].isEmpty ? try size(parts[2]) : nil
        let name = parts.count > 1 ? parts[1] : []
        return ParsedURLList.Item(line: number, url: urlText, path: try path(name, reference), size: size)
    }

    private static func path(_ name: [UInt8], _ reference: LinkReference) throws(LineFault) -> [[UInt8]] {
        if name.isEmpty {
            let last = FileNameHint.path(String(decoding: reference.path, as: UTF8.self))
            guard let last = last ?? reference.authority, last != [0x2E], last != [0x2E, 0x2E] else {
                throw LineFault(message: "the link has no file name; write URL|name")
            }
            return [last]
        }
        guard name.count <= maximumPath else { throw LineFault(message: "the name is longer than \(maximumPath) bytes") }
        let segments = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Array($0) }
        guard segments.count <= maximumDepth else { throw LineFault(message: "the name is deeper than \(maximumDepth) directories") }
        for segment in segments {
            guard !segment.isEmpty, segment != [0x2E], segment != [0x2E, 0x2E] else {
                throw LineFault(message: "the name has an empty segment, . or ..")
            }
            guard !segment.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw LineFault(message: "the name holds control characters") }
        }
        return segments
    }

    private static func size(_ digits: [UInt8]) throws(LineFault) -> UInt64 {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let size = UInt64(String(decoding: digits, as: UTF8.self)), size <= UInt64(Int64.max)
        else {
            throw LineFault(message: "the size is no number of bytes")
        }
        return size
    }
}
