import Bytes
import Dispatch
import SourceAPI
import Synchronization

/// An origin in memory that does as it is told, and counts what it was asked.
final class ScriptedSource: Source {
    /// What happens to a request.
    enum Behaviour: Sendable {
        case answer
        case fail(SourceError.Code)
        /// Nothing comes until `release()`; then as `answer`.
        case hang
    }

    struct File: Sendable {
        var bytes: [UInt8]
        var modified: Int64?
        var entityTag: String?
        /// A size that listings tell in place of the true one.
        var listedSize: UInt64?
        /// Whether listings tell the size.
        var listsSize = true
        /// Whether a probe tells it.
        var probesSize = true
    }

    struct Directory: Sendable {
        var children: [(name: [UInt8], locator: String)] = []
        var modified: Int64?
    }

    struct State: Sendable {
        var files: [String: File] = [:]
        var directories: [String: Directory] = ["/": Directory()]
        var listBehaviour: [String: Behaviour] = [:]
        var defaultBehaviour = Behaviour.answer
        var probeBehaviour: [String: Behaviour] = [:]
        var lists: [String: Int] = [:]
        var probes: [String: Int] = [:]
        var fetches = 0
        var probesRunning = 0
        var probesPeak = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var quota: DirectoryListing.Quota?
    }

    let kind = "scripted"
    let publicAddress = "https://user:secret@origin.example/base"
    let root = EntryLocator("/")
    let state = Mutex(State())
    private let queue = DispatchQueue(label: "scripted")

    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    // MARK: - Building

    /// Adds or replaces `path` (from `/`), with the directories above it.
    func add(
        _ path: String, _ bytes: [UInt8], modified: Int64? = 1_700_000_000, entityTag: String? = nil, listsSize: Bool = true, probesSize: Bool = true
    ) {
        change { state in
            Self.link(path, isDirectory: false, &state)
            state.files[path] = File(bytes: bytes, modified: modified, entityTag: entityTag, listsSize: listsSize, probesSize: probesSize)
        }
    }

    func addDirectory(_ path: String, modified: Int64? = nil) {
        change { state in
            Self.link(path, isDirectory: true, &state)
            if state.directories[path] == nil { state.directories[path] = Directory() }
            state.directories[path]?.modified = modified
        }
    }

    /// An entry of any name, also an impossible one.
    func addRaw(_ name: [UInt8], locator: String, in directory: String, bytes: [UInt8]) {
        change { state in
            state.directories[directory, default: Directory()].children.append((name, locator))
            state.files[locator] = File(bytes: bytes, modified: 1)
        }
    }

    func remove(_ path: String) {
        change { state in
            let (parent, _) = Self.split(path)
            state.directories[parent]?.children.removeAll { $0.locator == path }
            state.files[path] = nil
            state.directories = state.directories.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
            state.files = state.files.filter { !$0.key.hasPrefix(path + "/") }
        }
    }

    private static func split(_ path: String) -> (parent: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("/", path) }
        let parent = String(path[..<slash])
        return (parent.isEmpty ? "/" : parent, String(path[path.index(after: slash)...]))
    }

    private static func link(_ path: String, isDirectory: Bool, _ state: inout State) {
        guard path != "/" else { return }
        let (parent, name) = split(path)
        if state.directories[parent] == nil {
            link(parent, isDirectory: true, &state)
            state.directories[parent] = Directory()
        }
        if state.directories[parent]?.children.contains(where: { $0.locator == path }) != true {
            state.directories[parent]?.children.append((Array(name.utf8), path))
        }
    }

    // MARK: - Counting

    func lists(_ path: String) -> Int { change { $0.lists[path] ?? 0 } }
    var allLists: Int { change { $0.lists.values.reduce(0, +) } }
    var allProbes: Int { change { $0.probes.values.reduce(0, +) } }

    func release() {
        let waiting = change { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: - Source

    func list(_ directory: EntryLocator) async throws(SourceError) -> DirectoryListing {
        let path = directory.text
        let behaviour = change { state in
            state.lists[path, default: 0] += 1
            return state.listBehaviour[path] ?? state.defaultBehaviour
        }
        try await follow(behaviour, "list \(path)")
        let listing: DirectoryListing? = change { state in
            guard let found = state.directories[path] else { return nil }
            return DirectoryListing(
                entries: found.children.map { child in
                    if let file = state.files[child.locator] {
                        return RemoteEntry(
                            name: child.name, kind: .file, locator: EntryLocator(child.locator),
                            size: file.listsSize ? file.listedSize ?? UInt64(file.bytes.count) : nil,
                            modified: file.modified.map { UnixTime(seconds: $0) }, entityTag: file.entityTag, cacheKey: "scripted:" + child.locator)
                    }
                    let modified = state.directories[child.locator]?.modified
                    return RemoteEntry(
                        name: child.name, kind: .directory, locator: EntryLocator(child.locator), modified: modified.map { UnixTime(seconds: $0) },
                        cacheKey: "scripted:" + child.locator)
                }, quota: state.quota)
        }
        guard let listing else { throw SourceError(.notFound, "list \(path): 404") }
        return listing
    }

    func probe(_ entry: RemoteEntry) async throws(SourceError) -> RemoteEntry {
        let path = entry.locator.text
        let behaviour = change { state in
            state.probes[path, default: 0] += 1
            state.probesRunning += 1
            state.probesPeak = max(state.probesPeak, state.probesRunning)
            return state.probeBehaviour[path] ?? .answer
        }
        defer { change { $0.probesRunning -= 1 } }
        await Task.yield()
        try await follow(behaviour, "probe \(path)")
        guard let file = change({ $0.files[path] }) else { throw SourceError(.notFound, "probe \(path): 404") }
        guard file.probesSize else { throw SourceError(.sizeUnknown, "probe \(path): chunked") }
        var entry = entry
        entry.size = UInt64(file.bytes.count)
        return entry
    }

    private func follow(_ behaviour: Behaviour, _ what: String) async throws(SourceError) {
        switch behaviour {
        case .answer: break
        case .fail(let code): throw SourceError(code, "\(what): told to fail")
        case .hang: await withCheckedContinuation { continuation in change { $0.waiting.append(continuation) } }
        }
    }

    func fetch(_ request: FetchRequest, into sink: any FetchSink) -> any FetchTask {
        let task = ScriptedFetch()
        let file = change { state in
            state.fetches += 1
            return state.files[request.entry.locator.text]
        }
        queue.async {
            guard let file else { return sink.end(SourceError(.notFound, "no such file")) }
            let validator = Validator(entityTag: file.entityTag ?? "\"\(file.bytes.count)-\(file.modified ?? 0)-\(file.bytes.first ?? 0)\"")
            let total = UInt64(file.bytes.count)
            if let size = request.entry.size, size != total { return sink.end(SourceError(.changedUpstream, "another length")) }
            if let pinned = request.pinned, !pinned.agrees(with: validator) { return sink.end(SourceError(.changedUpstream, "another tag")) }
            let range = FileRange(offset: request.range.offset, count: request.range.count, fileSize: total)
            let tells = file.probesSize || file.listsSize
            let reply = FetchReply(offset: range.offset, total: tells ? total : nil, validator: validator, isRanged: true)
            guard sink.begin(reply) == .proceed else { return sink.end(SourceError(.cancelled, "stopped")) }
            var position = Int(range.offset)
            while position < Int(range.end) {
                if task.isCancelled { return sink.end(SourceError(.cancelled, "cancelled")) }
                let next = min(position + 32768, Int(range.end))
                let decision = file.bytes[position..<next].withUnsafeBytes { sink.receive($0) }
                guard decision == .proceed else { return sink.end(SourceError(.cancelled, "stopped")) }
                position = next
            }
            sink.end(nil)
        }
        return task
    }

    func shutdown() {}
}

private final class ScriptedFetch: FetchTask {
    private let cancelled = Atomic(false)
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
    func cancel() { cancelled.store(true, ordering: .relaxed) }
}
