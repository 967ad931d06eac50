internal import Synchronization

/// A number that many threads add to, for `status`. Reading it is not ordered with other counters.
package final class Counter: Sendable {
    private let storage = Atomic<UInt64>(0)

    package init() {}

    package func add(_ amount: UInt64 = 1) { storage.wrappingAdd(amount, ordering: .relaxed) }

    package func subtract(_ amount: UInt64 = 1) { storage.wrappingSubtract(amount, ordering: .relaxed) }

    package var value: UInt64 { storage.load(ordering: .relaxed) }
}
