internal import CFuse
internal import Threads
internal import VirtualTree

/// Tells the kernel to drop what it cached, from a thread of its own that holds no lock: the call waits for locks that
/// a request under way may hold until it is answered (`fuse_lowlevel_notify_inval_entry`).
final class KernelNotifier: TreeObserver {
    private enum Notice: Hashable, Sendable {
        case entry(parent: UInt64, name: [UInt8])
        case node(UInt64)
    }

    private struct Queue: Sendable {
        var notices: [Notice] = []
        var isClosed = false
    }

    private let queue = MonitoredValue(Queue())

    func invalidateEntry(parent: UInt64, name: [UInt8]) { queue.change { $0.notices.append(.entry(parent: parent, name: name)) } }

    func invalidateNode(_ number: UInt64) { queue.change { $0.notices.append(.node(number)) } }

    /// No more notices are sent after the one under way.
    func close() { queue.change { $0.isClosed = true } }

    /// The work of the notifier's thread, until `close`.
    func serve(_ session: SessionPointer) {
        while true {
            let notices = queue.wait(within: nil) { queue -> [Notice]? in
                guard queue.isClosed || !queue.notices.isEmpty else { return nil }
                defer { queue.notices = [] }
                return queue.isClosed ? [] : queue.notices
            }
            guard let notices, !notices.isEmpty else { return }
            for notice in notices {
                if queue.change({ $0.isClosed }) { return }
                send(notice, session)
            }
        }
    }

    /// Errors are of no interest: ENOENT says that the kernel had nothing cached.
    private func send(_ notice: Notice, _ session: SessionPointer) {
        switch notice {
        case .node(let number): _ = fuse_lowlevel_notify_inval_inode(session.pointer, number, 0, 0)
        case .entry(let parent, let name):
            name.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
                _ = fuse_lowlevel_notify_inval_entry(session.pointer, parent, start, bytes.count)
            }
        }
    }
}

/// SAFETY: libfuse's session may be used by any thread; `FuseSession` frees it when no other thread uses it any more.
struct SessionPointer: @unchecked Sendable {
    let pointer: OpaquePointer
}
