import Glibc
import TestSupport

/// Calls `body` on a thread of its own (it waits for what runs on the cooperative pool) with an empty directory that is removed afterwards.
func withDirectory(_ body: @escaping @Sendable (String) throws -> Void) async throws {
    let directory = try TemporaryDirectory("control")
    try await Blocking.run { try body(directory.path) }
}

func mode(_ path: String) -> UInt32? {
    var info = stat()
    return lstat(path, &info) == 0 ? info.st_mode & 0o7777 : nil
}
