internal import CLinux
internal import Glibc

/// A thread that runs jobs in the order they came, for work that blocks on disk. It ends with `stop`.
///
/// SAFETY: every variable is read and written under the monitor only.
package final class SerialThread: @unchecked Sendable {
    package typealias Job = @Sendable () -> Void

    private let monitor = Monitor()
    private var jobs: [Job] = []
    private var tick: Job?
    private var tickMilliseconds = 3_600_000
    private var isStopping = false
    private var isEnded = false
    private var thread = pthread_t()
    private let name: String

    /// - Parameter name: at most 15 bytes, shown by `ps -L`.
    package init(name: String) {
        self.name = name
        let context = Unmanaged.passRetained(self).toOpaque()
        let code = pthread_create(&thread, nil, { SerialThread.body($0) }, context)
        precondition(code == 0, "no thread can be made")
        pthread_detach(thread)
    }

    /// Also runs `job` about every so often, between other jobs.
    package func every(milliseconds: Int, _ job: @escaping Job) {
        monitor.locked {
            tick = job
            tickMilliseconds = milliseconds
            monitor.signal()
        }
    }

    /// Returns at once. After `stop` the job is forgotten.
    package func enqueue(_ job: @escaping Job) {
        monitor.locked {
            guard !isStopping else { return }
            jobs.append(job)
            monitor.signal()
        }
    }

    /// Runs the job on the thread and waits for what it gives; `nil` after `stop`. Never from a job of this thread.
    package func run<Result: Sendable>(_ job: @escaping @Sendable () -> Result) -> Result? {
        let answer = Answer<Result>()
        let accepted = monitor.locked {
            if isStopping { return false }
            jobs.append { answer.set(job()) }
            monitor.signal()
            return true
        }
        return accepted ? answer.get() : nil
    }

    /// Runs what is queued, then ends the thread; returns when it has ended.
    package func stop() {
        monitor.locked {
            isStopping = true
            tick = nil
            monitor.signal()
            while !isEnded { monitor.wait(milliseconds: 1000) }
        }
    }

    /// Like `stop`, without waiting: for `deinit`, which may run on this very thread.
    package func requestStop() {
        monitor.locked {
            isStopping = true
            tick = nil
            monitor.signal()
        }
    }

    private func loop() {
        reelfs_name_thread(name)
        var nextTick = SerialThread.now() + monitor.locked { tickMilliseconds }
        while true {
            var batch: [Job] = []
            let (due, ended): (Job?, Bool) = monitor.locked {
                while true {
                    let now = SerialThread.now()
                    if !jobs.isEmpty {
                        swap(&batch, &jobs)
                        return (nil, false)
                    }
                    if isStopping {
                        isEnded = true
                        monitor.signal()
                        return (nil, true)
                    }
                    nextTick = min(nextTick, now + tickMilliseconds)
                    if let tick, now >= nextTick {
                        nextTick = now + tickMilliseconds
                        return (tick, false)
                    }
                    monitor.wait(milliseconds: max(1, nextTick - now))
                }
            }
            if ended { return }
            due?()
            for job in batch {
                job()
                let now = SerialThread.now()
                if now >= nextTick, let tick = monitor.locked({ tick }) {
                    nextTick = now + monitor.locked { tickMilliseconds }
                    tick()
                }
            }
        }
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    /// What the thread runs: a static function, so that it belongs to no actor.
    private static func body(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        Unmanaged<SerialThread>.fromOpaque(context).takeRetainedValue().loop()
        return nil
    }
}

/// A place for one result that another thread waits for.
///
/// SAFETY: the value is read and written under the monitor only.
private final class Answer<Value: Sendable>: @unchecked Sendable {
    private let monitor = Monitor()
    private var value: Value?

    func set(_ new: Value) {
        monitor.locked {
            value = new
            monitor.signal()
        }
    }

    func get() -> Value {
        monitor.locked {
            while true {
                if let value { return value }
                monitor.wait(milliseconds: 1000)
            }
        }
    }
}
