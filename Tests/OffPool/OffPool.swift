package import Testing

/// A trait for tests that wait in system calls, join threads or compute for seconds without a pause: they run on threads of their own,
/// so that Swift's pool, with a thread for each processor, goes on with what other tests wait for.
package struct OffPool: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await function() }
    }
}

extension Trait where Self == OffPool {
    package static var offPool: OffPool { OffPool() }
}
