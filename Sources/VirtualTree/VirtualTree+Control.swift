package import Bytes
package import SourceAPI
internal import Synchronization

/// An entry that a path names, for commands.
package struct ResolvedEntry: Sendable {
    let node: Node

    /// Names as shown, from the root of the mount, joined by `/`; empty for the root.
    package var path: [UInt8] { node.place.path }
    package var name: [UInt8] { node.place.shownName }
    package var kind: RemoteEntry.Kind { node.kind }
    package var number: UInt64 { node.number }
    /// Of a file; 0 for directories.
    package var size: UInt64 { node.entry?.shownSize ?? 0 }
    package var modified: UnixTime? { node.entry?.modified }
    /// `nil`: the root of a mount of several sources.
    package var shelf: SourceShelf? { node.shelf }
    /// As the source lists it; `nil` for roots.
    package var entry: RemoteEntry? { node.entry }
}

/// What commands do with paths: they may wait for origins, within the deadlines of listings and probes.
extension VirtualTree {
    /// Finds what a path means: shown names joined by `/`; empty parts are skipped, so that `/a//b/` is `a/b`.
    package func resolve(_ path: [UInt8]) async throws(TreeError) -> ResolvedEntry {
        var node = try self.node(Self.rootNumber).get()
        for name in path.split(separator: UInt8(ascii: "/")) { node = try await child(Array(name), of: node) }
        return ResolvedEntry(node: node)
    }

    package func resolve(_ path: String) async throws(TreeError) -> ResolvedEntry { try await resolve(Array(path.utf8)) }

    /// The entries of a directory, in the order of their names. `size`s that the listing does not tell are learned; a file whose size
    /// cannot be learned is given to `failed`.
    package func children(
        of directory: ResolvedEntry, failed: (_ name: [UInt8], TreeError) -> Void = { _, _ in }
    ) async throws(TreeError) -> [ResolvedEntry] {
        let parent = directory.node
        guard parent.kind == .directory else { throw TreeError(.notDirectory, "a file is not a directory") }
        guard let shelf = parent.shelf, let locator = parent.locator else {
            return state.withLock { $0.shelves }.map { ResolvedEntry(node: Node(shelf: $0.shelf, shownName: $0.name)) }
        }
        let view = try await view(of: locator, shelf, parent)
        var result: [ResolvedEntry] = []
        result.reserveCapacity(view.snapshot.items.count)
        for index in view.snapshot.items.indices {
            do throws(TreeError) {
                result.append(ResolvedEntry(node: try await node(index, in: view, of: locator, parent, shelf)))
            } catch {
                failed(view.snapshot.items[index].shownName, error)
            }
        }
        return result
    }

    /// Visits a subtree, a directory before its content. A directory that cannot be listed and a file whose size cannot be learned
    /// are given to `failed` with their paths, and the walk goes on.
    ///
    /// - Parameter visit: `false` ends the walk.
    package func walk(
        _ start: ResolvedEntry, visit: (ResolvedEntry) async -> Bool, failed: (_ path: [UInt8], TreeError) -> Void
    ) async {
        var waiting = [start]
        while let next = waiting.popLast(), !Task.isCancelled {
            guard await visit(next) else { return }
            guard next.kind == .directory else { continue }
            let path = next.path
            do throws(TreeError) {
                let found = try await children(of: next) { name, error in failed(path + (path.isEmpty ? [] : [UInt8(ascii: "/")]) + name, error) }
                waiting.append(contentsOf: found.reversed())
            } catch {
                failed(path, error)
            }
        }
    }

    /// Opens a file; the handle is the caller's to close.
    package func open(_ entry: ResolvedEntry) throws(TreeError) -> OpenFile { try openFile(entry.node) {} }

    /// Lists the directory that the path names (of a file: the one it is in) now, whatever its age, and shows what changed. What is below is
    /// listed anew when it is asked for next.
    package func refresh(_ path: [UInt8]) async throws(TreeError) {
        let names = path.split(separator: UInt8(ascii: "/"))
        var node = try self.node(Self.rootNumber).get()
        var missing: [UInt8]?
        for name in names {
            // What is to be refreshed may not be in an old listing yet; sources are not listed.
            do throws(TreeError) {
                let next = try await child(Array(name), of: node)
                guard next.kind == .directory else { break }
                node = next
            } catch {
                guard error.code == .notFound, node.shelf != nil else { throw error }
                missing = Array(name)
                break
            }
        }
        guard let shelf = node.shelf, let locator = node.locator else {
            for shelf in shelves { shelf.expireAll() }
            var failure: TreeError?
            for shelf in shelves {
                do { _ = try await shelf.view(of: shelf.source.root, wantsFresh: true) } catch { failure = failure ?? TreeError(error) }
            }
            if let failure { throw failure }
            return
        }
        shelf.expireAll()
        let view: DirectoryView
        do { view = try await shelf.view(of: locator, wantsFresh: true) } catch { throw directoryError(error, node) }
        if let missing, view.snapshot.index(ofShown: missing) == nil { throw TreeError(.notFound, "not in the new listing either") }
    }

    // MARK: - Steps

    private func child(_ name: [UInt8], of parent: Node) async throws(TreeError) -> Node {
        guard parent.kind == .directory else { throw TreeError(.notDirectory, "a file has no names in it") }
        guard let shelf = parent.shelf, let locator = parent.locator else {
            guard let found = state.withLock({ $0.shelves.first { $0.name == name } }) else { throw TreeError(.notFound, "no such source") }
            return Node(shelf: found.shelf, shownName: name)
        }
        let view = try await view(of: locator, shelf, parent)
        guard let index = view.snapshot.index(ofShown: name) else { throw TreeError(.notFound, "not in the listing") }
        return try await node(index, in: view, of: locator, parent, shelf)
    }

    private func view(of locator: EntryLocator, _ shelf: SourceShelf, _ node: Node) async throws(TreeError) -> DirectoryView {
        do { return try await shelf.view(of: locator) } catch { throw directoryError(error, node) }
    }

    private func node(
        _ index: Int, in view: DirectoryView, of locator: EntryLocator, _ parent: Node, _ shelf: SourceShelf
    ) async throws(TreeError) -> Node {
        if let node = Node(index, in: view, of: locator, parent: parent) { return node }
        let item = view.snapshot.items[index]
        let result = await withCheckedContinuation { continuation in
            shelf.learn(index, in: view, of: locator) { continuation.resume(returning: $0) }
        }
        switch result {
        case .failure(let error): throw TreeError(error)
        case .success(let file):
            let node = Node(file.entry, number: file.number, revision: item.revision, shownName: item.shownName, in: parent, directory: locator)
            guard let node else { throw TreeError(.source(.sizeUnknown), "no request tells the size of this file") }
            return node
        }
    }
}
