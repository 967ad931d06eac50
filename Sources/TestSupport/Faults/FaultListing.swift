internal import Bytes

/// A directory as WebDAV and as a page tell it, with what faults make of it.
struct FaultListing {
    var hrefs = Fault.HrefStyle.absolutePath
    var isDoubled = false
    var hasDeeper = false
    var hasItself = true
    var itselfAgain = false
    var failedFirst = false
    var isEmpty = false
    var isCutByServer = false
    var hasBomb = false
    var extraEntries = 0
    var dates = DateDialect.fixed
    var sizes = Sizes.exact

    enum Sizes { case exact, rounded, none }

    private struct Entry {
        /// With a slash at the end for a directory.
        var path: String
        var file: FaultTree.File?
    }

    private func entries(_ directory: String, _ tree: FaultTree) -> [Entry] {
        guard !isEmpty else { return [] }
        var found = tree.names(in: directory).map { Entry(path: directory + $0, file: tree.files[directory + $0]) }
        let small = FaultTree.File([UInt8](repeating: 7, count: 7))
        for number in 0..<extraEntries { found.append(Entry(path: "\(directory)entry-\(number).bin", file: small)) }
        if isDoubled { found = found.flatMap { [$0, $0] } }
        if hasDeeper {
            for other in tree.directories.union([directory + "deeper/"]).sorted() where other != directory {
                found.append(Entry(path: other + "hidden-\(other.utf8.count).bin", file: small))
            }
        }
        return found
    }

    // MARK: WebDAV

    /// A multistatus (RFC 4918 §13).
    func multistatus(_ path: String, _ tree: FaultTree, isDeep: Bool, authority: String) -> [UInt8] {
        var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        if hasBomb {
            text += "<!DOCTYPE bomb [<!ENTITY a \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\">"
            for (inner, outer) in zip("abcdefghi", "bcdefghij") {
                text += "<!ENTITY \(outer) \"" + String(repeating: "&\(inner);", count: 10) + "\">"
            }
            text += "]>\n"
        }
        text += "<D:multistatus xmlns:D=\"DAV:\">\n"
        if hasItself, !isEmpty { text += response(Entry(path: path, file: tree.files[path]), authority, path) }
        if itselfAgain {
            for spelling in [path, String(path.dropLast()), "http://\(authority)\(path)"] where !spelling.isEmpty {
                text += response(href: spelling, Entry(path: path, file: nil))
            }
        }
        if isDeep, path.hasSuffix("/") {
            let all = entries(path, tree)
            for (index, entry) in all.enumerated() {
                if isCutByServer, index == all.count / 2 { break }
                text += response(entry, authority, path)
            }
            if isCutByServer {
                text += "<D:response><D:href>\(Self.encoded(path))</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status></D:response>\n"
            }
        }
        return Array((text + "</D:multistatus>\n").utf8)
    }

    private func response(_ entry: Entry, _ authority: String, _ directory: String) -> String {
        response(href: href(entry.path, authority, in: directory), entry)
    }

    private func response(href: String, _ entry: Entry) -> String {
        var properties = "<D:getlastmodified>\(dates.text(entry.file?.modified ?? TreeMaker.modified))</D:getlastmodified>"
        if let file = entry.file {
            properties +=
                "<D:resourcetype/><D:getetag>\(Self.escaped(file.entityTag))</D:getetag><D:getcontenttype>\(file.mediaType)</D:getcontenttype>"
            if sizes != .none { properties += "<D:getcontentlength>\(file.bytes.count)</D:getcontentlength>" }
        } else {
            properties += "<D:resourcetype><D:collection/></D:resourcetype>"
        }
        let good = "<D:propstat><D:prop>\(properties)</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
        let lacking =
            "<D:propstat><D:status>HTTP/1.1 404 Not Found</D:status><D:prop><D:getcontentlength>1</D:getcontentlength>"
            + "<D:quota-used-bytes/></D:prop></D:propstat>"
        return "<D:response><D:href>\(Self.escaped(href))</D:href>\(failedFirst ? lacking + good : good)</D:response>\n"
    }

    private func href(_ path: String, _ authority: String, in directory: String) -> String {
        let encoded = Self.encoded(path)
        switch hrefs {
        case .absolutePath: return encoded
        case .relative: return path == directory ? "./" : Self.encoded(String(path.dropFirst(directory.count)))
        case .absoluteURL: return "http://\(authority)\(encoded)"
        case .otherHost: return "http://inner.example:8080\(encoded)"
        case .otherPort: return "http://127.0.0.1:1\(encoded)"
        case .networkPath: return "//\(authority)\(encoded)"
        case .doublyEncoded: return Self.encoded(encoded)
        case .leastEncoded: return path.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
        }
    }

    // MARK: Pages

    /// A page as nginx's autoindex makes it; with rounded sizes as Apache's.
    func page(_ path: String, _ tree: FaultTree, authority: String) -> [UInt8] {
        let title = Self.escaped(path)
        var text = "<html><head><title>Index of \(title)</title></head><body><h1>Index of \(title)</h1><hr><pre>"
        if hasItself { text += "<a href=\"../\">../</a>\n" }
        if itselfAgain { for spelling in ["./", ".", Self.encoded(path)] { text += "<a href=\"\(spelling)\">here</a>\n" } }
        for entry in entries(path, tree) {
            let name = Self.escaped(String(entry.path.dropFirst(entry.path.hasPrefix(path) ? path.count : 0)))
            text += "<a href=\"\(Self.escaped(pageHref(entry.path, authority, in: path)))\">\(name)</a>    "
            text += "\(DateDialect.listed(entry.file?.modified ?? TreeMaker.modified))    \(size(entry.file))\n"
        }
        return Array((text + "</pre><hr></body></html>\n").utf8)
    }

    /// Links of a page are relative unless a fault says otherwise.
    private func pageHref(_ path: String, _ authority: String, in directory: String) -> String {
        if hrefs == .absolutePath, path.hasPrefix(directory) { return Self.encoded(String(path.dropFirst(directory.count))) }
        return hrefs == .relative ? "./" + href(path, authority, in: directory) : href(path, authority, in: directory)
    }

    private func size(_ file: FaultTree.File?) -> String {
        guard let file, sizes != .none else { return "-" }
        if sizes == .exact { return "\(file.bytes.count)" }
        return file.bytes.count < 1024 ? "\(file.bytes.count)" : "\(file.bytes.count / 1024)K"
    }

    // MARK: Texts

    static func encoded(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { PercentCoding.encodeSegment($0.utf8) }.joined(separator: "/")
    }

    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
