internal import Bytes
internal import SourceAPI

/// What a number stands for. It never changes: another version is another node.
final class Node: Sendable {
    enum Identity: Hashable, Sendable {
        case root
        case directory(source: String, locator: EntryLocator)
        case file(source: String, locator: EntryLocator, size: UInt64, modified: UnixTime?, entityTag: String?, revision: UInt64)
    }

    let number: UInt64
    let parentNumber: UInt64
    let identity: Identity
    let place: Place
    /// `nil`: the root of a mount of several sources.
    let shelf: SourceShelf?
    /// Where its name was listed; `nil` for roots.
    let directory: EntryLocator?
    /// As listed, with its size if it is a file; `nil` for roots.
    let entry: RemoteEntry?
    let revision: UInt64

    private init(
        number: UInt64, parentNumber: UInt64, identity: Identity, place: Place, shelf: SourceShelf?, directory: EntryLocator?, entry: RemoteEntry?,
        revision: UInt64
    ) {
        self.number = number
        self.parentNumber = parentNumber
        self.identity = identity
        self.place = place
        self.shelf = shelf
        self.directory = directory
        self.entry = entry
        self.revision = revision
    }

    /// The root of a mount: of one source, or of several.
    convenience init(rootOf shelf: SourceShelf?) {
        self.init(
            number: NodeNumbers.root, parentNumber: NodeNumbers.root, identity: .root, place: .root, shelf: shelf, directory: nil, entry: nil,
            revision: 0)
    }

    /// A source's directory in a mount of several.
    convenience init(shelf: SourceShelf, shownName: [UInt8]) {
        let locator = shelf.source.root
        self.init(
            number: NodeNumbers.directory(source: shelf.name, locator: locator), parentNumber: NodeNumbers.root,
            identity: .directory(source: shelf.name, locator: locator),
            place: Place(parent: .root, shownName: shownName, originalName: nil), shelf: shelf, directory: nil, entry: nil, revision: 0)
    }

    /// An entry of a directory; `nil` for a file whose size is not known. `number` is the one its view gives it.
    convenience init?(_ entry: RemoteEntry, number: UInt64, revision: UInt64, shownName: [UInt8], in parent: Node, directory: EntryLocator) {
        guard let shelf = parent.shelf else { return nil }
        let identity: Identity
        switch (entry.kind, entry.size) {
        case (.directory, _): identity = .directory(source: shelf.name, locator: entry.locator)
        case (.file, let size?):
            identity = .file(
                source: shelf.name, locator: entry.locator, size: size, modified: entry.modified, entityTag: entry.entityTag, revision: revision)
        case (.file, nil): return nil
        }
        self.init(
            number: number, parentNumber: parent.number, identity: identity,
            place: Place(parent: parent.place, shownName: shownName, originalName: entry.name), shelf: shelf, directory: directory, entry: entry,
            revision: revision)
    }

    /// The same node under its next number, after `attempt` numbers were found taken.
    func renumbered(attempt: UInt64) -> Node {
        let next: UInt64
        switch (identity, entry, shelf) {
        case (.file, let entry?, let shelf?): next = NodeNumbers.file(source: shelf.name, entry: entry, revision: revision, attempt: attempt)
        case (.directory(let source, let locator), _, _): next = NodeNumbers.directory(source: source, locator: locator, attempt: attempt)
        default: next = number &+ attempt
        }
        return Node(
            number: next, parentNumber: parentNumber, identity: identity, place: place, shelf: shelf, directory: directory, entry: entry,
            revision: revision)
    }

    var kind: RemoteEntry.Kind { entry?.kind ?? .directory }

    /// What its source lists it by; `nil`: a list of sources.
    var locator: EntryLocator? { entry?.locator ?? shelf?.source.root }

    func attributes(validFor: Duration) -> Attributes {
        Attributes(number: number, kind: kind, size: entry?.shownSize ?? 0, modified: entry?.modified, validFor: validFor)
    }
}

/// The names on the way to a node.
final class Place: Sendable {
    let parent: Place?
    let shownName: [UInt8]
    /// `nil`: not a name of the origin.
    let originalName: [UInt8]?

    static let root = Place(parent: nil, shownName: [], originalName: nil)

    init(parent: Place?, shownName: [UInt8], originalName: [UInt8]?) {
        self.parent = parent
        self.shownName = shownName
        self.originalName = originalName
    }

    /// From the root of the mount, joined by `/`; empty for the root itself.
    var path: [UInt8] { Array(chain.map(\.shownName).joined(separator: [UInt8(ascii: "/")])) }

    /// The origin's names, from the root of the source.
    var originalNames: [[UInt8]] { chain.compactMap(\.originalName) }

    /// Those names for people, joined by `/`.
    var originalPath: String { String(decoding: Array(originalNames.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self) }

    private var chain: [Place] {
        var result: [Place] = []
        var place: Place? = self
        while let current = place, current.parent != nil {
            result.append(current)
            place = current.parent
        }
        return result.reversed()
    }
}
