/// A value under a lock, with a condition: threads wait until the value is as they need it. For threads that may block;
/// tasks may not.
///
/// SAFETY: `state` is touched under the monitor only.
package final class MonitoredValue<State: Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    private var state: State

    package init(_ state: State) { self.state = state }

    /// Reads or changes the value, then wakes whoever waits for it.
    package func change<Result>(_ body: (inout State) -> Result) -> Result {
        monitor.locked {
            defer { monitor.signal() }
            return body(&state)
        }
    }

    /// Waits until `body` gives something.
    ///
    /// - Parameter limit: how long at most; `nil` waits for ever.
    /// - Returns: what `body` gave, or `nil` when the time was over.
    package func wait<Result>(within limit: Duration?, until body: (inout State) -> Result?) -> Result? {
        let deadline = limit.map(Monitor.Deadline.init)
        return monitor.locked {
            while true {
                if let result = body(&state) { return result }
                if let deadline, deadline.isOver { return nil }
                monitor.wait(until: deadline)
            }
        }
    }
}

extension MonitoredValue where State == Bool {
    /// Opens the gate: all waits end, now and later.
    package func open() { change { $0 = true } }

    /// Whether the gate was opened within the time.
    package func waitUntilOpen(within limit: Duration?) -> Bool { wait(within: limit) { $0 ? true : nil } ?? false }
}
