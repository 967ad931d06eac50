internal import ControlProtocol
internal import ControlSocket
internal import Synchronization

/// Gathers the progress of several files under way into events, a few a second.
final class ProgressReporter: Sendable {
    private let events: EventSink
    private let state: Mutex<State>

    private struct State: Sendable {
        var progress = TransferProgress(item: "", itemsDone: 0, itemsTotal: nil, bytesDone: 0, bytesTotal: nil, bytesPerSecond: 0)
        let started = ContinuousClock.now
        var lastSent = ContinuousClock.now
        /// Bytes that came over the line, as against those that were there.
        var moved: UInt64 = 0
    }

    init(_ events: EventSink) {
        self.events = events
        state = Mutex(State())
    }

    func expect(files: UInt64, bytes: UInt64) {
        state.withLock { state in
            state.progress.itemsTotal = files
            state.progress.bytesTotal = bytes
        }
    }

    func found(_ item: String) { update { $0.progress.item = item } }

    func add(bytes: UInt64, moved: UInt64, item: String) {
        update { state in
            state.progress.item = item
            state.progress.bytesDone += bytes
            state.moved += moved
        }
    }

    func finishItem() { update { $0.progress.itemsDone += 1 } }

    /// The last state, for sure.
    func flush() { events.send(.progress(progress: state.withLock { $0.progress })) }

    private func update(_ change: (inout State) -> Void) {
        let due: TransferProgress? = state.withLock { state in
            change(&state)
            let now = ContinuousClock.now
            guard now - state.lastSent >= .milliseconds(200) else { return nil }
            state.lastSent = now
            let seconds = Double((now - state.started) / .milliseconds(1)) / 1000
            state.progress.bytesPerSecond = seconds > 0 ? UInt64(Double(state.moved) / seconds) : 0
            return state.progress
        }
        if let due { events.send(.progress(progress: due)) }
    }
}
