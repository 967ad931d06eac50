internal import Bytes
internal import Transport
internal import WebPaths

/// Reads a directory index in JSON: nginx's (`autoindex_format json`: name, type, mtime, size) and Caddy's (name, size,
/// url, mod_time, is_dir). Sizes are in bytes in both, times in UTC or with their zone.
package enum JSONIndexParser {
    private static let maximumEntries = 1_000_000
    /// Bytes of a name; no file system takes more than 255, and this one shows longer ones by a hash.
    private static let maximumName = 32 * 1024

    /// - Throws: `.noIndex` for JSON of any other kind.
    package static func parse(_ document: [UInt8], base: IndexBase) throws(IndexFault) -> DirectoryIndex {
        guard let directory = LinkPath(base.path) else { throw .noIndex }
        var entries: [IndexEntry] = []
        var fault: IndexFault?
        let other: JSONValue?
        do throws(JSONReader.Fault) {
            other = try JSONReader.read(document) { item in
                do throws(IndexFault) {
                    guard entries.count < maximumEntries else { throw .tooManyEntries }
                    if let entry = try entry(item, directory) { entries.append(entry) }
                } catch { fault = error }
                return fault == nil
            }
        } catch {
            throw .notWellFormed("\(error.message) at byte \(error.offset)")
        }
        if let fault { throw fault }
        // Caddy writes `null` for an empty directory.
        guard other == nil || other == .null else { throw .noIndex }
        return DirectoryIndex(entries: entries, isCertain: true, isClosed: true)
    }

    /// - Returns: `nil` for what is neither file nor directory, and for names of the directory itself or of those above it.
    private static func entry(_ item: JSONValue, _ directory: LinkPath) throws(IndexFault) -> IndexEntry? {
        guard case .string(var name)? = item["name"], !name.isEmpty else { throw .noIndex }
        guard name.count <= maximumName else { throw .notWellFormed("a name beyond all measure") }
        let isDirectory: Bool
        let stamp: UnixTime?
        switch (item["type"], item["is_dir"]) {
        case (.string(let type)?, _):
            guard type.elementsEqual("file".utf8) || type.elementsEqual("directory".utf8) else { return nil }
            isDirectory = type.elementsEqual("directory".utf8)
            stamp = text(item["mtime"]).flatMap { HTTPDate.parse(String(decoding: $0, as: UTF8.self)) }
        case (_, .bool(let flag)?):
            isDirectory = flag
            stamp = text(item["mod_time"]).flatMap(IndexShape.zonedTime)
            if flag, name.last == 0x2F { name.removeLast() }
        default: throw .noIndex
        }
        guard !name.isEmpty, !name.contains(0x2F), name != [0x2E], name != [0x2E, 0x2E] else { return nil }
        let path = directory.asDirectory + PercentCoding.encodeSegment(name) + (isDirectory ? "/" : "")
        return IndexEntry(name: name, isDirectory: isDirectory, path: path, size: isDirectory ? nil : size(item["size"]), modified: stamp)
    }

    private static func text(_ value: JSONValue?) -> [UInt8]? {
        guard case .string(let bytes)? = value else { return nil }
        return bytes
    }

    private static func size(_ value: JSONValue?) -> UInt64? {
        guard case .number(let digits)? = value else { return nil }
        return IndexShape.number(digits[...])
    }
}
