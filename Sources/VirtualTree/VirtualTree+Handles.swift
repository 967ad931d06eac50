internal import Diagnostics
internal import SourceAPI
internal import Synchronization

/// Directories and files that are open.
extension VirtualTree {
    package func openDirectory(_ number: UInt64, reply: @escaping Reply<DirectoryHandle>) -> TreeTask? {
        let node: Node
        switch self.node(number) {
        case .success(let found): node = found
        case .failure(let error):
            reply(.failure(error))
            return nil
        }
        guard node.kind == .directory else {
            reply(.failure(TreeError(.notDirectory, "a file is not a directory")))
            return nil
        }
        guard let shelf = node.shelf, let directory = node.locator else {
            reply(.success(DirectoryHandle(node: node, content: .shelves(state.withLock { $0.shelves }))))
            return nil
        }
        let handle: @Sendable (Result<DirectoryView, SourceError>) -> Result<DirectoryHandle, TreeError> = { [self] answer in
            answer.map { DirectoryHandle(node: node, content: .listing($0, of: directory, validFor: $0.validFor(shelf))) }
                .mapError { directoryError($0, node) }
        }
        if let answer = shelf.viewNow(of: directory) {
            reply(handle(answer))
            return nil
        }
        let once = ReplyOnce(reply)
        let task = once.task
        shelf.view(of: directory) { once(handle($0)) }
        return once.isAnswered ? nil : task
    }

    /// Counts one look-up of an item, as readdirplus does for each item with attributes that it tells the kernel. `nil`: the item has no attributes
    /// yet, nothing was counted. Use these attributes rather than the item's.
    package func remember(_ index: Int, of handle: DirectoryHandle) -> Attributes? {
        guard let (node, validFor) = handle.itemNode(index) else { return nil }
        return remember(node, validFor: validFor)
    }

    /// Opens a file for reading. Never waits. `.stale` when the name means another version by now: the kernel then looks it up again.
    package func open(_ number: UInt64, reply: @escaping Reply<OpenFile>) -> TreeTask? {
        switch node(number) {
        case .failure(let error): reply(.failure(error))
        case .success(let node):
            let result = Result { () throws(TreeError) in try openFile(node) { [weak self] in self?.state.withLock { $0.nodes.closed(number) } } }
            if case .success = result { state.withLock { $0.nodes.opened(number) } }
            reply(result)
        }
        return nil
    }

    func openFile(_ node: Node, atClose: @escaping @Sendable () -> Void) throws(TreeError) -> OpenFile {
        guard node.kind == .file, let shelf = node.shelf, let entry = node.entry, let directory = node.directory else {
            throw TreeError(.isDirectory, "a directory cannot be read")
        }
        switch shelf.currentNumber(of: node.place.shownName, in: directory) {
        case .unknown: break
        case .gone: throw TreeError(.stale, "the file is gone")
        case .number(let current):
            // Blocks of the newer version are not given up for an old one. A number that was taken by another node says nothing.
            let own = NodeNumbers.file(source: shelf.name, entry: entry, revision: node.revision)
            if current != own { throw TreeError(.stale, "the file is another version now") }
        }
        let path = node.place.originalPath
        let reader: any ContentReader
        shelf.opened(entry, in: directory)
        do throws(SourceError) {
            reader = try shelf.content.open(entry, revision: node.revision, from: shelf.source, sourceName: shelf.name, path: path)
        } catch {
            shelf.closed(entry, in: directory)
            throw TreeError(error)
        }
        return OpenFile(attributes: node.attributes(validFor: shelf.options.timeToLive), reader: reader) {
            shelf.closed(entry, in: directory)
            atClose()
        }
    }
}
