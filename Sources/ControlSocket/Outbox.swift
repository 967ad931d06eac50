internal import CLinux
internal import ControlProtocol
internal import Glibc
internal import Synchronization

/// Lines on their way from a request's task to its connection's thread, which is woken by an eventfd.
final class Outbox: Sendable {
    /// More events than this wait only when the client does not read: then old ones are dropped.
    static let mostEvents = 256

    private struct State {
        var events: [ControlEvent] = []
        var final: ControlReply?
        var isClosed = false
    }

    private let state = Mutex(State())
    let wake: Int32

    /// `nil`: no descriptors are left.
    init?() {
        wake = eventfd(0, Int32(O_CLOEXEC | O_NONBLOCK))
        if wake < 0 { return nil }
    }

    deinit { close(wake) }

    func put(_ event: ControlEvent) {
        state.withLock { state in
            guard !state.isClosed, state.final == nil else { return }
            if state.events.count >= Self.mostEvents {
                if let old = state.events.firstIndex(where: { if case .note = $0 { false } else { true } }) {
                    state.events.remove(at: old)
                } else {
                    state.events.removeFirst()
                }
            }
            state.events.append(event)
        }
        signal()
    }

    func finish(_ reply: ControlReply) {
        state.withLock { if $0.final == nil { $0.final = reply } }
        signal()
    }

    /// What waits, and the final reply if it is there: it ends the request.
    func take() -> (events: [ControlEvent], final: ControlReply?) {
        var count: UInt64 = 0
        _ = withUnsafeMutableBytes(of: &count) { read(wake, $0.baseAddress, 8) }
        return state.withLock { state in
            defer { state.events = [] }
            return (state.events, state.final)
        }
    }

    /// Nobody takes any more.
    func abandon() {
        state.withLock { state in
            state.isClosed = true
            state.events = []
        }
    }

    private func signal() {
        var one: UInt64 = 1
        _ = withUnsafeBytes(of: &one) { write(wake, $0.baseAddress, 8) }
    }
}
