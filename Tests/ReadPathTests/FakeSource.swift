import Bytes
import Dispatch
import Glibc
import SourceAPI
import Synchronization

/// Reference bytes of one version of a file: a random stretch of odd length, repeated, so that no two blocks are alike.
struct Content: Sendable {
    let bytes: [UInt8]
    let validator: Validator

    init(size: Int, seed: UInt64 = 1, validator: Validator? = nil) {
        var random = SeededRandom(seed: seed)
        let stretch = (0..<min(size, 262_147)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let part = min(stretch.count, size - count)
                _ = stretch.withUnsafeBytes { memcpy(buffer.baseAddress! + count, $0.baseAddress!, part) }
                count += part
            }
        }
        self.validator = validator ?? Validator(entityTag: "\"version-\(seed)\"")
    }

    func holds(_ other: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard offset >= 0, offset + other.count <= bytes.count, other.count > 0 else { return other.count == 0 && offset >= 0 }
        return bytes.withUnsafeBytes { memcmp($0.baseAddress! + offset, other.baseAddress!, other.count) == 0 }
    }

    func holds(_ other: [UInt8], at offset: Int) -> Bool { other.withUnsafeBytes { holds($0, at: offset) } }
}

/// How a fetch is to go wrong.
enum Fault: Sendable {
    case none
    /// Ends with the error before a reply.
    case refuse(SourceError.Code)
    /// Gives so many bytes, then ends with the error.
    case breakAfter(Int, SourceError.Code)
    /// Gives so many bytes, then ends as if all had come.
    case shortAfter(Int)
    /// Gives so many bytes, then nothing more until it is cancelled.
    case stallAfter(Int)
    /// States another validator.
    case validator(Validator)
    /// States another length.
    case total(UInt64)
    /// Says that its bytes begin elsewhere.
    case offset(UInt64)
}

/// An origin in memory whose every step a test decides. Its one thread delivers chunks of odd sizes, of the fetches
/// under way in a seeded order.
final class FakeSource: Source, Sendable {
    struct Request: Sendable {
        let range: FileRange
        let pinned: Validator?
        let isReadAhead: Bool
    }

    final class Transfer: FetchTask, Sendable {
        struct State: Sendable {
            var position = 0
            var end = 0
            var given = 0
            var hasBegun = false
            var isCancelled = false
            var isOver = false
        }
        let number: Int
        let request: FetchRequest
        let sink: any FetchSink
        let fault: Fault
        let content: Content
        let state = Mutex(State())
        private let wake: @Sendable () -> Void

        init(number: Int, request: FetchRequest, sink: any FetchSink, fault: Fault, content: Content, wake: @escaping @Sendable () -> Void) {
            (self.number, self.request, self.sink, self.fault, self.content, self.wake) = (number, request, sink, fault, content, wake)
        }

        func cancel() {
            state.withLock { $0.isCancelled = true }
            wake()
        }
    }

    struct State: Sendable {
        var content: Content
        var requests: [Request] = []
        var transfers: [Transfer] = []
        var delivered: UInt64 = 0
        var isHeld = false
        var honoursRanges = true
        var tellsLength = true
        var chunk = 1...40_000
        var mostTransfers = 0
        var cancelled = 0
        var random = SeededRandom(seed: 7)
        var fault: @Sendable (Int, FetchRequest) -> Fault = { _, _ in .none }
        var isRunning = false
    }

    let kind = "fake"
    let publicAddress = "fake://origin"
    let root = EntryLocator("/")
    let state: Mutex<State>
    private let engine = DispatchQueue(label: "fake engine")

    init(_ content: Content) { state = Mutex(State(content: content)) }

    func list(_ directory: EntryLocator) async throws(SourceError) -> DirectoryListing { throw SourceError(.unsupported, "no listings") }
    func probe(_ entry: RemoteEntry) async throws(SourceError) -> RemoteEntry { throw SourceError(.unsupported, "no probes") }
    func shutdown() {}

    // MARK: For tests

    var requests: [Request] { state.withLock { $0.requests } }
    var asked: UInt64 { state.withLock { $0.requests.reduce(0) { $0 + $1.range.count } } }
    var delivered: UInt64 { state.withLock { $0.delivered } }
    var active: Int { state.withLock { $0.transfers.count } }

    func set(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        wake()
    }

    // MARK: Source

    func fetch(_ request: FetchRequest, into sink: any FetchSink) -> any FetchTask {
        let transfer = state.withLock { state in
            let number = state.requests.count
            state.requests.append(Request(range: request.range, pinned: request.pinned, isReadAhead: request.isReadAhead))
            let transfer = Transfer(
                number: number, request: request, sink: sink, fault: state.fault(number, request), content: state.content,
                wake: { [weak self] in self?.wake() })
            state.transfers.append(transfer)
            state.mostTransfers = max(state.mostTransfers, state.transfers.count)
            return transfer
        }
        wake()
        return transfer
    }

    private func wake() {
        let starts = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { engine.async { self.run() } }
    }

    /// Takes steps until no transfer can move.
    private func run() {
        while true {
            let (transfer, chunk) = state.withLock { state -> (Transfer?, Int) in
                let movable = state.transfers.filter { transfer in
                    transfer.state.withLock { inner in
                        if inner.isOver { return false }
                        if inner.isCancelled { return true }
                        if case .stallAfter(let count) = transfer.fault, inner.given >= count { return false }
                        return !state.isHeld
                    }
                }
                guard let transfer = movable.randomElement(using: &state.random) else {
                    state.isRunning = false
                    return (nil, 0)
                }
                return (transfer, Int.random(in: state.chunk, using: &state.random))
            }
            guard let transfer else { return }
            step(transfer, chunk)
        }
    }

    private func step(_ transfer: Transfer, _ chunk: Int) {
        let (isCancelled, hasBegun, position, end, given) = transfer.state.withLock { ($0.isCancelled, $0.hasBegun, $0.position, $0.end, $0.given) }
        if isCancelled {
            state.withLock { $0.cancelled += 1 }
            return finish(transfer, SourceError(.cancelled, "cancelled"))
        }
        guard hasBegun else { return begin(transfer) }
        var limit = end - position
        switch transfer.fault {
        case .breakAfter(let count, let code):
            limit = min(limit, count - given)
            if limit <= 0 { return finish(transfer, SourceError(code, "broken on request \(transfer.number)")) }
        case .shortAfter(let count):
            limit = min(limit, count - given)
            if limit <= 0 { return finish(transfer, nil) }
        case .stallAfter(let count): limit = min(limit, count - given)
        default: break
        }
        let count = min(chunk, limit)
        if count > 0 {
            let decision = transfer.content.bytes.withUnsafeBytes {
                transfer.sink.receive(UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
            }
            state.withLock { $0.delivered += UInt64(count) }
            transfer.state.withLock {
                $0.position += count
                $0.given += count
            }
            if case .stop = decision { return finish(transfer, SourceError(.cancelled, "stopped")) }
        }
        if position + count >= end { finish(transfer, nil) }
    }

    private func begin(_ transfer: Transfer) {
        if case .refuse(let code) = transfer.fault { return finish(transfer, SourceError(code, "refused request \(transfer.number)")) }
        let (honours, tells) = state.withLock { ($0.honoursRanges, $0.tellsLength) }
        let size = transfer.content.bytes.count
        let range = transfer.request.range
        let start = honours ? Int(range.offset) : 0
        let end = honours ? Int(min(range.end, UInt64(size))) : size
        var reply = FetchReply(offset: UInt64(start), total: tells ? UInt64(size) : nil, validator: transfer.content.validator, isRanged: honours)
        switch transfer.fault {
        case .validator(let validator): reply.validator = validator
        case .total(let total): reply.total = total
        case .offset(let offset): reply.offset = offset
        default: break
        }
        // As a real source does: it compares with what was pinned.
        if let pinned = transfer.request.pinned, !pinned.agrees(with: reply.validator) {
            return finish(transfer, SourceError(.changedUpstream, "changed"))
        }
        transfer.state.withLock {
            $0.hasBegun = true
            $0.position = start
            $0.end = max(start, end)
        }
        if case .stop = transfer.sink.begin(reply) { return finish(transfer, SourceError(.cancelled, "stopped")) }
        if end <= start { finish(transfer, nil) }
    }

    private func finish(_ transfer: Transfer, _ error: SourceError?) {
        transfer.state.withLock { $0.isOver = true }
        state.withLock { $0.transfers.removeAll { $0 === transfer } }
        transfer.sink.end(error)
    }
}
