internal import Dispatch
internal import Glibc
internal import SourceAPI

/// Reads a list from a file of this machine, on a thread that may wait for the disk.
enum ListFile {
    private static let maximumSize = 64 << 20

    static func read(_ path: String) async throws(SourceError) -> [UInt8] {
        let outcome: Result<[UInt8], SourceError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: readNow(path)) }
        }
        return try outcome.get()
    }

    private static func readNow(_ path: String) -> Result<[UInt8], SourceError> {
        func failure(_ code: SourceError.Code, _ reason: String) -> Result<[UInt8], SourceError> { .failure(SourceError(code, "\(path): \(reason)")) }
        guard path.hasPrefix("/") else { return failure(.refused, "the path of a list is absolute") }
        // Not blocking: a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            return failure(code == ENOENT ? .notFound : code == EACCES ? .denied : .unreachable, String(cString: strerror(code)))
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return failure(.refused, "no regular file") }
        guard facts.st_size <= maximumSize else { return failure(.refused, "longer than \(maximumSize >> 20) MiB") }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 256 * 1024)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count == 0 { return .success(text) }
            if count < 0 {
                if errno == EINTR { continue }
                return failure(.unreachable, String(cString: strerror(errno)))
            }
            text += piece[..<count]
            guard text.count <= maximumSize else { return failure(.refused, "longer than \(maximumSize >> 20) MiB") }
        }
    }
}
