import Bytes
import SourceAPI
import Transport
import VirtualTree
import WebPaths

@testable import HTTPIndexSource
@testable import URLListSource
@testable import WebDAVSource

extension FuzzTarget {
    static let listings: [FuzzTarget] = [
        FuzzTarget(name: "propfind", limit: 8 << 10, run: propfind),
        FuzzTarget(name: "html-index", limit: 8 << 10, run: htmlIndex),
        FuzzTarget(name: "json-index", limit: 8 << 10, run: jsonIndex),
        FuzzTarget(name: "url-list", limit: 8 << 10, run: urlList),
        FuzzTarget(name: "names", limit: 4 << 10, run: names),
    ]

    /// A listing, whole and in pieces.
    private static func propfind(_ bytes: [UInt8]) {
        let whole = try? MultistatusParser.parse(bytes)
        let parser = MultistatusParser()
        var pieces: [MultistatusResponse]?
        do throws(MultistatusFault) {
            for start in stride(from: 0, to: bytes.count, by: 61) {
                try feed(parser, Array(bytes[start..<min(start + 61, bytes.count)]))
            }
            pieces = try parser.finish()
        } catch { pieces = nil }
        precondition(whole == pieces, "in pieces it says something else")
        if let url = HTTPURL("http://host/dav/films/") { _ = MultistatusSurvey.of(bytes, at: url) }
    }

    private static func feed(_ parser: MultistatusParser, _ bytes: [UInt8]) throws(MultistatusFault) {
        var fault: MultistatusFault?
        bytes.withUnsafeBytes { buffer in
            do throws(MultistatusFault) { try parser.feed(buffer) } catch { fault = error }
        }
        if let fault { throw fault }
    }

    private static let base = IndexBase(scheme: "http", authority: "host", path: "/pub/films/")

    private static func htmlIndex(_ bytes: [UInt8]) { check(try? HTMLIndexParser.parse(bytes, base: base)) }

    private static func jsonIndex(_ bytes: [UInt8]) { check(try? JSONIndexParser.parse(bytes, base: base)) }

    /// Names of an index are those of one segment, each once.
    private static func check(_ index: DirectoryIndex?) {
        guard let index else { return }
        for entry in index.entries {
            precondition(!entry.name.isEmpty && entry.name != [0x2E] && entry.name != [0x2E, 0x2E], "a name that means a directory above")
        }
        check(
            index.entries.map {
                RemoteEntry(name: $0.name, kind: $0.isDirectory ? .directory : .file, locator: EntryLocator($0.path), cacheKey: $0.path)
            })
    }

    private static func urlList(_ bytes: [UInt8]) {
        let list = URLListParser.parse(bytes)
        for item in list.items {
            precondition(item.url.hasPrefix("http") || item.url.lowercased().hasPrefix("http"))
            precondition(!item.path.isEmpty && item.path.allSatisfy { !$0.isEmpty && $0 != [0x2E] && $0 != [0x2E, 0x2E] }, "a path that leads out")
        }
        precondition(list.items.count + list.problems.count <= bytes.count + 1)
    }

    /// Lines are names, and what is shown of them are valid names of files, each once, whatever their order.
    private static func names(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(200).map(Array.init)
        check(
            lines.enumerated().map { number, name in
                RemoteEntry(name: name, kind: number % 3 == 0 ? .directory : .file, locator: EntryLocator("/\(number)"), cacheKey: "\(number)")
            })
    }

    private static func check(_ entries: [RemoteEntry]) {
        let shown = NameMapping.shownNames(of: entries)
        precondition(shown.count == entries.count)
        var taken: Set<[UInt8]> = []
        for name in shown.compactMap(\.self) {
            precondition((1...255).contains(name.count) && !name.contains(0x2F) && !name.contains(0), "no name of a file")
            precondition(name != [0x2E] && name != [0x2E, 0x2E] && String(validating: name, as: UTF8.self) != nil, "no name of a file")
            precondition(taken.insert(name).inserted, "two files of one name")
        }
        let turned = NameMapping.shownNames(of: entries.reversed())
        precondition(Set(turned.compactMap(\.self)) == taken, "the order changes names")
    }
}
