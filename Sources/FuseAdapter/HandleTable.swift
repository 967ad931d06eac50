internal import Synchronization

/// What the kernel holds open, by the handle number that it was told. Numbers are not reused.
final class HandleTable<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var next: UInt64 = 1
        var values: [UInt64: Value] = [:]
    }

    private let state = Mutex(State())

    func insert(_ value: Value) -> UInt64 {
        state.withLock { state in
            let number = state.next
            state.next += 1
            state.values[number] = value
            return number
        }
    }

    subscript(number: UInt64) -> Value? { state.withLock { $0.values[number] } }

    func remove(_ number: UInt64) -> Value? { state.withLock { $0.values.removeValue(forKey: number) } }

    func removeAll() -> [Value] {
        state.withLock { state in
            defer { state.values = [:] }
            return Array(state.values.values)
        }
    }

    var count: Int { state.withLock { $0.values.count } }
}
