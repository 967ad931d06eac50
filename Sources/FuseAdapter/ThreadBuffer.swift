internal import Glibc

/// One buffer for each thread that answers reads and directories, freed with the thread. Answers are copied by the
/// kernel during the reply, so that one is enough.
enum ThreadBuffer {
    /// The largest request that is negotiated.
    static let size = 1 << 20

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, { free($0) }) == 0 ? key : nil
    }()

    /// The calling thread's buffer of `size` bytes; `nil` without memory. Valid until the thread ends.
    static func ofThisThread() -> UnsafeMutableRawBufferPointer? {
        guard let key else { return nil }
        if let memory = pthread_getspecific(key) { return UnsafeMutableRawBufferPointer(start: memory, count: size) }
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 4096, size) == 0, let memory else { return nil }
        guard pthread_setspecific(key, memory) == 0 else {
            free(memory)
            return nil
        }
        return UnsafeMutableRawBufferPointer(start: memory, count: size)
    }
}
