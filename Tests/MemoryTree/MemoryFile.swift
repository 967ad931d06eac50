internal import FuseAdapter
internal import Glibc
internal import SourceAPI
internal import Synchronization
internal import TestSupport
internal import VirtualTree

/// Runs the body after a while on a thread of its own, unless the task is cancelled before.
func later(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> TreeTask {
    let isCancelled = Atomic(false)
    let flag = Flag(isCancelled)
    Blocking.start {
        let (seconds, attoseconds) = delay.components
        usleep(useconds_t(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
        if !flag.isSet { body() }
    }
    return TreeTask { flag.set() }
}

final class Flag: Sendable {
    private let value: Atomic<Bool>
    init(_ value: consuming Atomic<Bool>) { self.value = value }
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

final class MemoryFile: TreeFile {
    private let content: MemoryTree.Content
    private let atClose: Mutex<(@Sendable () -> Void)?>

    init(content: MemoryTree.Content, atClose: @escaping @Sendable () -> Void) {
        self.content = content
        self.atClose = Mutex(atClose)
    }

    func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
        later reply: @escaping @Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void
    ) -> ReadOutcome {
        let start = min(offset, content.size)
        let count = min(buffer.count, Int(clamping: content.size - start))
        switch content {
        case .bytes(let bytes), .unlisted(let bytes):
            bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(start)..<(Int(start) + count)])) }
            return .done(count)
        case .pattern:
            for index in 0..<count { buffer[index] = MemoryTree.byte(at: start + UInt64(index)) }
            return .done(count)
        case .late(_, let delay):
            return .pending(
                later(delay) {
                    let bytes = (0..<count).map { MemoryTree.byte(at: start + UInt64($0)) }
                    bytes.withUnsafeBytes { reply(.success($0)) }
                })
        case .stuck: return .pending(TreeTask { reply(.failure(SourceError(.cancelled, "cancelled"))) })
        case .dead: return .pending(TreeTask { Forgotten.keep(reply) })
        case .failing(let code): return .pending(later(.milliseconds(5)) { reply(.failure(SourceError(code, "GET https://host/f", advice: "try"))) })
        }
    }

    func close() {
        let action = atClose.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}

/// Keeps answers alive that are never given.
private enum Forgotten {
    private static let kept = Mutex<[@Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void]>([])
    static func keep(_ reply: @escaping @Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void) { kept.withLock { $0.append(reply) } }
}
