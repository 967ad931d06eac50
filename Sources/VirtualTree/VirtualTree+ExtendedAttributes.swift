internal import Bytes
internal import Diagnostics
internal import SourceAPI

/// What `getfattr -d` shows.
extension VirtualTree {
    /// `user.reelfs.*` of a node; empty for an unknown one. Names are complete (`user.reelfs.source`).
    ///
    /// - `source`: the source's name. `url`: the public address, never a signed one, without user and password.
    /// - `name`: the name as the origin has it, any bytes. `validator`: what tells this version from others.
    /// - `cached`: bytes of the file that are in the cache. `state`: `fresh`, `stale: why` or `unreachable: why`.
    package func extendedAttributes(of number: UInt64) -> [(name: String, value: [UInt8])] {
        guard case .success(let node) = node(number), let shelf = node.shelf else { return [] }
        var result: [(name: String, value: [UInt8])] = []
        func add(_ name: String, _ value: [UInt8]) { result.append(("user.reelfs." + name, value)) }
        func add(_ name: String, _ value: String) { add(name, Array(value.utf8)) }
        add("source", shelf.name)
        add("url", address(of: node, shelf))
        if let entry = node.entry {
            add("name", entry.name)
            if let validator = validator(of: entry) { add("validator", validator) }
            if entry.kind == .file, let cached = shelf.content.cachedBytes(of: entry, revision: node.revision) { add("cached", String(cached)) }
        }
        add("state", stateText(of: node, shelf))
        return result
    }

    private func address(of node: Node, _ shelf: SourceShelf) -> String {
        var address = shelf.source.publicAddress
        if let entry = node.entry {
            if let own = shelf.source.publicAddress(of: entry) {
                address = own
            } else {
                if !address.hasSuffix("/") { address += "/" }
                address += node.place.originalNames.map { PercentCoding.encodeSegment($0) }.joined(separator: "/")
                if entry.kind == .directory { address += "/" }
            }
        }
        return Redaction.url(address)
    }

    private func validator(of entry: RemoteEntry) -> String? {
        if let tag = entry.entityTag { return Redaction.line(tag) }
        return entry.modified.map { "modified \($0.seconds)" }
    }

    private func stateText(of node: Node, _ shelf: SourceShelf) -> String {
        guard let directory = node.kind == .directory ? node.locator : node.directory else { return "fresh" }
        let failure = shelf.failure
        guard let view = shelf.peek(directory) else { return failure.map { "unreachable: " + Redaction.line($0) } ?? "not listed" }
        guard let why = view.staleness else { return "fresh" }
        return (failure == nil ? "stale: " : "unreachable: ") + Redaction.line(why)
    }
}
