internal import Threads

/// Runs tasks on as many threads as it is worth while, none of them of Swift's pool.
final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor(threads: 2)

    private let jobs = MonitoredValue<[UnownedJob]>([])

    private init(threads: Int) {
        for _ in 0..<threads {
            let thread = OwnThread.start("off the pool") { [self] in
                while let job = jobs.wait(within: nil, until: { $0.isEmpty ? nil : $0.removeFirst() }) {
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
            precondition(thread != nil, "no thread for tests")
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.change { $0.append(job) }
    }
}
