internal import WebPaths

/// Reads a directory index out of an HTML page, by the rule that holds for every server: links to what is exactly one
/// segment below the page are its entries; links elsewhere, with a query or a fragment are not.
package enum HTMLIndexParser {
    /// Takes long for long pages: not for the cooperative pool.
    ///
    /// - Throws: `IndexFault` for a page that shows no index; never answers an empty index for it.
    package static func parse(_ page: [UInt8], base: IndexBase) throws(IndexFault) -> DirectoryIndex {
        let reader = HTMLIndexReader.read(page)
        if let fault = reader.fault { throw fault }
        var signs = reader.signs
        signs.hasSortLinks = reader.rows.contains { isSortLink($0.href) }
        // A page whose links all lead to another host shows nothing of this one.
        guard let linkBase = effectiveBase(base, signs.baseHref) else { throw .noIndex }
        guard let directory = LinkPath(LinkPath.resolve([], against: directoryPath(base.path))) else { throw .noIndex }
        var entries: [IndexEntry] = []
        var positions: [[UInt8]: Int] = [:]
        for row in reader.rows {
            guard let path = target(row.href, linkBase), let name = path.name(in: directory), !isParentLabel(row.label, name) else {
                continue
            }
            let isDirectory = path.endsWithSlash
            let facts = isDirectory ? (nil, nil) : IndexShape(row, signs).facts(row)
            let entry = IndexEntry(
                name: name, isDirectory: isDirectory, path: isDirectory ? path.asDirectory : path.encoded, size: facts.0, modified: facts.1)
            // An icon and a label often link to the same; what says more is kept.
            if let position = positions[name], entries[position].isDirectory == isDirectory {
                if entries[position].size == nil { entries[position].size = entry.size }
                if entries[position].modified == nil { entries[position].modified = entry.modified }
            } else {
                positions[name] = entries.count
                entries.append(entry)
            }
        }
        let isCertain = isIndexTitle(signs.heading) || isIndexTitle(signs.title) || signs.hasSortLinks || hasParentLink(reader.rows)
        if signs.hasPasswordField, !isCertain { throw .loginPage }
        if entries.isEmpty, !isCertain { throw .noIndex }
        // Not an empty directory: a proxy shows what another host has.
        if entries.isEmpty, reader.rows.contains(where: { isEntryElsewhere($0, directory) }) { throw .elsewhere }
        return DirectoryIndex(entries: entries, isCertain: isCertain, isClosed: hasEnd(page))
    }

    /// The directory whose content a page at `path` lists: the page's own path, with a slash.
    private static func directoryPath(_ path: String) -> String { path.utf8.last == 0x2F ? path : path + "/" }

    /// The address that links are relative to: the page's `base` element, if it stays on this host. `nil`: it does not, so
    /// no relative link leads here.
    private static func effectiveBase(_ base: IndexBase, _ href: [UInt8]?) -> IndexBase? {
        guard let href else { return base }
        let reference = LinkReference(href)
        if let scheme = reference.scheme, scheme != Array(base.scheme.utf8) { return nil }
        if let authority = reference.authority, !isSame(authority, base) { return nil }
        var changed = base
        changed.path = String(decoding: LinkPath.resolve(reference.path, against: base.path), as: UTF8.self)
        return changed
    }

    /// Where a link leads on this host; `nil` for other hosts and schemes, and for links with a query or a fragment.
    private static func target(_ href: [UInt8], _ base: IndexBase) -> LinkPath? {
        let reference = LinkReference(href)
        guard !reference.hasQuery, !reference.hasFragment, !reference.path.isEmpty else { return nil }
        if let scheme = reference.scheme {
            guard scheme == Array(base.scheme.utf8), reference.authority != nil else { return nil }
        }
        if let authority = reference.authority, !isSame(authority, base) { return nil }
        return LinkPath(LinkPath.resolve(reference.path, against: base.path))
    }

    /// Whether a link to another host is what an index has for an entry: to one segment below the page's path, labelled with
    /// that name, which servers may cut.
    private static func isEntryElsewhere(_ row: IndexRow, _ directory: LinkPath) -> Bool {
        let reference = LinkReference(row.href)
        guard reference.authority != nil, !reference.hasQuery, !reference.hasFragment, let path = LinkPath(reference.path),
            let name = path.name(in: directory)
        else { return false }
        var label = LinkReference.trimmed(row.label)
        if label.last == 0x2F { label.removeLast() }
        if label == name { return true }
        guard let dots = label.indices.first(where: { label[$0...].starts(with: "..".utf8) }), dots > 8 else { return false }
        return name.starts(with: label[..<dots])
    }

    /// Whether a link's host and port are the page's; the scheme's own port may be written or not.
    private static func isSame(_ authority: [UInt8], _ base: IndexBase) -> Bool {
        let own = Array(base.authority.utf8)
        return authority == own || authority == own + (base.scheme == "https" ? ":443" : ":80").utf8
    }

    private static func isSortLink(_ href: [UInt8]) -> Bool {
        let text = String(decoding: href.prefix(16), as: UTF8.self)
        return text.hasPrefix("?C=") || text.hasPrefix("?N=") || text.hasPrefix("?M=") || text.hasPrefix("?S=") || text.hasPrefix("?D=")
    }

    private static func isParentLabel(_ label: [UInt8], _ name: [UInt8]) -> Bool {
        let text = String(decoding: LinkReference.trimmed(label), as: UTF8.self)
        return text == "Parent Directory" || text == "Parent directory" || text == "[To Parent Directory]" || (text == ".." && name != label)
    }

    /// A relative link upwards, or one that is labelled so: nothing but an index has it.
    private static func hasParentLink(_ rows: [IndexRow]) -> Bool {
        rows.contains { row in
            let href = String(decoding: row.href.prefix(8), as: UTF8.self)
            return ["..", "../", "./..", "./../"].contains(href) || isParentLabel(row.label, row.href)
        }
    }

    private static func isIndexTitle(_ text: [UInt8]) -> Bool {
        let words = String(decoding: LinkReference.trimmed(text), as: UTF8.self).lowercased()
        return ["index of ", "directory listing for ", "directory listing of ", "directory: ", "listing of ", "directory of "].contains {
            words.hasPrefix($0)
        }
            || words == "index of" || words == "directory listing"
    }

    private static func hasEnd(_ page: [UInt8]) -> Bool {
        let mark = Array("</html".utf8)
        var index = page.count - mark.count
        while index >= 0 {
            if page[index] == mark[0], page[index..<(index + mark.count)].elementsEqual(mark, by: { $0 | 0x20 == $1 | 0x20 }) { return true }
            index -= 1
        }
        return false
    }
}
