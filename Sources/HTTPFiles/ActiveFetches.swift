package import SourceAPI
internal import Synchronization

/// The fetches of one source that are under way, so that its shutdown ends them all and lets none start afterwards.
package final class ActiveFetches: Sendable {
    private struct State {
        var isShutDown = false
        var next: UInt64 = 0
        var tasks: [UInt64: any FetchTask] = [:]
        /// Ended before their task was known here.
        var early: Set<UInt64> = []
    }

    private let state = Mutex(State())

    package init() {}

    package var count: Int { state.withLock { $0.tasks.count } }

    /// Starts a fetch and remembers it until its sink hears the end.
    ///
    /// - Parameter begin: starts it with the sink it is given.
    package func start(_ sink: any FetchSink, _ begin: (any FetchSink) -> any FetchTask) -> any FetchTask {
        let number: UInt64? = state.withLock { state in
            guard !state.isShutDown else { return nil }
            state.next += 1
            return state.next
        }
        guard let number else { return FailedFetch.start(sink, SourceError(.cancelled, "the source is shut down")) }
        let task = begin(TrackedSink(sink, number, self))
        let isLate = state.withLock { state in
            if state.early.remove(number) == nil { state.tasks[number] = task }
            return state.isShutDown
        }
        if isLate { task.cancel() }
        return task
    }

    package func shutdown() {
        let tasks = state.withLock { state in
            state.isShutDown = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    fileprivate func ended(_ number: UInt64) {
        state.withLock { state in
            if state.tasks.removeValue(forKey: number) == nil { state.early.insert(number) }
        }
    }
}

/// A fetch that fails without asking anybody.
package final class FailedFetch: FetchTask {
    private init() {}

    /// The sink hears of it from another thread, as the contract of `Source.fetch` wants.
    package static func start(_ sink: any FetchSink, _ error: SourceError) -> any FetchTask {
        Task.detached { sink.end(error) }
        return FailedFetch()
    }

    package func cancel() {}
}

private final class TrackedSink: FetchSink {
    private let sink: any FetchSink
    private let number: UInt64
    private let owner: ActiveFetches

    init(_ sink: any FetchSink, _ number: UInt64, _ owner: ActiveFetches) {
        self.sink = sink
        self.number = number
        self.owner = owner
    }

    func begin(_ reply: FetchReply) -> FetchDecision { sink.begin(reply) }
    func receive(_ bytes: UnsafeRawBufferPointer) -> FetchDecision { sink.receive(bytes) }
    func end(_ error: SourceError?) {
        owner.ended(number)
        sink.end(error)
    }
}
