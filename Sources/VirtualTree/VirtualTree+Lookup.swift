internal import SourceAPI
internal import Synchronization

/// Names and attributes.
extension VirtualTree {
    /// Finds a name and counts one look-up of its node, to be undone by `forget`. A look-up that was interrupted counts nothing.
    package func lookup(parent number: UInt64, name: [UInt8], reply: @escaping Reply<Attributes>) -> TreeTask? {
        let parent: Node
        switch node(number) {
        case .success(let found): parent = found
        case .failure(let error): return now(.failure(error), reply)
        }
        guard parent.kind == .directory else { return now(.failure(TreeError(.notDirectory, "a file has no names in it")), reply) }
        guard name.count <= NameMapping.maximumBytes else { return now(.failure(TreeError(.nameTooLong, "more than 255 bytes")), reply) }
        guard let shelf = parent.shelf, let directory = parent.locator else { return now(lookUpShelf(name), reply) }
        if let answer = shelf.viewNow(of: directory) {
            switch step(name, in: answer, of: directory, parent) {
            case .answer(let result): return now(result, reply)
            case .learn(let index, let view):
                return learn(index, in: view, of: directory, parent, shelf, ReplyOnce(reply))
            }
        }
        let once = ReplyOnce(reply)
        let task = once.task
        shelf.view(of: directory) { [self] answer in
            guard !once.isAnswered else { return }
            switch step(name, in: answer, of: directory, parent) {
            case .answer(let result): give(result, once)
            case .learn(let index, let view): _ = learn(index, in: view, of: directory, parent, shelf, once)
            }
        }
        return once.isAnswered ? nil : task
    }

    package func attributes(of number: UInt64, reply: @escaping Reply<Attributes>) -> TreeTask? {
        // A node is one version: what it was opened or looked up with stays true for whoever holds it.
        now(node(number).map { $0.attributes(validFor: $0.shelf?.options.timeToLive ?? .seconds(60)) }, reply)
    }

    /// The kernel drops `count` look-ups.
    package func forget(_ number: UInt64, count: UInt64) { state.withLock { $0.nodes.forget(number, count: count) } }

    private func now(_ result: Result<Attributes, TreeError>, _ reply: Reply<Attributes>) -> TreeTask? {
        reply(result)
        return nil
    }

    /// A late answer that nobody takes any more must not stay counted.
    private func give(_ result: Result<Attributes, TreeError>, _ once: ReplyOnce<Attributes>) {
        if !once(result), case .success(let attributes) = result { forget(attributes.number, count: 1) }
    }

    private func lookUpShelf(_ name: [UInt8]) -> Result<Attributes, TreeError> {
        state.withLock { state in
            guard let found = state.shelves.first(where: { $0.name == name }) else { return .failure(TreeError(.notFound, "no such source")) }
            let node = state.nodes.remember(Node(shelf: found.shelf, shownName: name))
            return .success(node.attributes(validFor: found.shelf.options.timeToLive))
        }
    }

    private enum Step {
        case answer(Result<Attributes, TreeError>)
        case learn(Int, DirectoryView)
    }

    private func step(_ name: [UInt8], in answer: Result<DirectoryView, SourceError>, of directory: EntryLocator, _ parent: Node) -> Step {
        switch answer {
        case .failure(let error): return .answer(.failure(directoryError(error, parent)))
        case .success(let view):
            guard let index = view.snapshot.index(ofShown: name) else { return .answer(.failure(TreeError(.notFound, "not in the listing"))) }
            guard let node = Node(index, in: view, of: directory, parent: parent) else { return .learn(index, view) }
            parent.shelf?.refreshLearned(index, in: view, of: directory)
            return .answer(.success(remember(node, validFor: view.validFor(parent.shelf))))
        }
    }

    private func learn(
        _ index: Int, in view: DirectoryView, of directory: EntryLocator, _ parent: Node, _ shelf: SourceShelf, _ once: ReplyOnce<Attributes>
    ) -> TreeTask? {
        let item = view.snapshot.items[index]
        let task = once.task
        shelf.learn(index, in: view, of: directory) { [self] result in
            guard !once.isAnswered else { return }
            switch result {
            case .success(let file):
                let node = Node(file.entry, number: file.number, revision: item.revision, shownName: item.shownName, in: parent, directory: directory)
                guard let node else { return give(.failure(TreeError(.source(.sizeUnknown), "no request tells the size of this file")), once) }
                give(.success(remember(node, validFor: view.validFor(shelf))), once)
            case .failure(let error):
                // The listing names it and the file's own address does not: it was deleted meanwhile.
                give(.failure(error.code == .notFound ? TreeError(.notFound, error.detail) : TreeError(error)), once)
            }
        }
        return once.isAnswered ? nil : task
    }

    func remember(_ node: Node, validFor: Duration) -> Attributes {
        state.withLock { $0.nodes.remember(node) }.attributes(validFor: validFor)
    }

    /// Only the origin's word about this very directory means that it does not exist; the root exists as long as it is mounted.
    func directoryError(_ error: SourceError, _ node: Node) -> TreeError {
        error.code == .notFound && node.entry != nil ? TreeError(.notFound, error.detail) : TreeError(error)
    }
}

extension DirectoryView {
    /// Until the listing is due to be looked at again; a moment, if it is.
    func validFor(_ shelf: SourceShelf?) -> Duration {
        guard let shelf, staleness == nil else { return .seconds(1) }
        return max(.seconds(1), shelf.options.timeToLive - age)
    }
}
