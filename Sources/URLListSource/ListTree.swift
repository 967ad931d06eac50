internal import HTTPFiles
internal import SourceAPI
internal import Transport
internal import WebPaths

/// The directories that the names of a list make. Immutable once made; locators are as in `URLList`.
struct ListTree: Sendable {
    /// Bytes of all directories' locators: a hundred thousand directories take a tenth.
    private static let maximumLocators = 16 << 20

    private(set) var directories: [EntryLocator: [RemoteEntry]] = [EntryLocator(""): []]
    private(set) var problems: [ParsedURLList.Problem]
    private(set) var fileCount = 0
    private var locatorBytes = 0
    /// Where links may see the source's credentials.
    let trustedOrigins: Set<HTTPOrigin>

    init(_ list: ParsedURLList, trustedOrigins: Set<HTTPOrigin>, cacheKey: (HTTPURL) -> String) {
        self.trustedOrigins = trustedOrigins
        problems = list.problems
        var known: Set<EntryLocator> = []
        for item in list.items {
            guard let url = HTTPURL(item.url), let name = item.path.last else {
                problems.append(.init(line: item.line, message: "the link cannot be read"))
                continue
            }
            guard locatorBytes <= Self.maximumLocators else {
                problems.append(.init(line: item.line, message: "the list has too many directories; the rest is left out"))
                break
            }
            let directory = makeDirectories(item.path.dropLast(), &known, url: url, cacheKey)
            let locator = EntryLocator(directory.text + ListTree.encoded(name) + "|" + url.text)
            // The same link under the same name twice is the same file.
            guard known.insert(locator).inserted else { continue }
            fileCount += 1
            let entry = RemoteEntry(name: name, kind: .file, locator: locator, size: item.size, cacheKey: cacheKey(url))
            directories[directory, default: []].append(entry)
        }
    }

    private mutating func makeDirectories(
        _ path: ArraySlice<[UInt8]>, _ known: inout Set<EntryLocator>, url: HTTPURL, _ cacheKey: (HTTPURL) -> String
    ) -> EntryLocator {
        var parent = EntryLocator("")
        for name in path {
            let locator = EntryLocator(parent.text + ListTree.encoded(name) + "/")
            if known.insert(locator).inserted {
                locatorBytes += locator.text.utf8.count
                directories[locator] = []
                directories[parent, default: []].append(
                    RemoteEntry(name: name, kind: .directory, locator: locator, cacheKey: "list directory \(locator.text)"))
            }
            parent = locator
        }
        return parent
    }

    private static func encoded(_ name: [UInt8]) -> String { LinkPath.encodedSegment(name) }
}
