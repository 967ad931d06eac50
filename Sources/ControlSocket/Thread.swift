internal import CLinux
internal import Glibc

/// Threads of our own, for work that waits.
enum Thread {
    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a detached thread. When there can be no more threads the work is done on the caller's.
    static func start(_ name: String, _ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(name, run))
        let code = pthread_create(&thread, nil, { context in
            guard let context else { return nil }
            let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
            reelfs_name_thread(body.name)
            body.run()
            return nil
        }, context.toOpaque())
        if code == 0 {
            pthread_detach(thread)
        } else {
            context.release()
            run()
        }
    }
}
