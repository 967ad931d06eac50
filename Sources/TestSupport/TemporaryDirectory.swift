private import Glibc

/// A directory of one test, removed with everything in it when the value goes. Others may enter it (0755), because
/// servers started by root read it as another user; nothing secret belongs here.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init(_ label: String = "test") throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/reelfs-\(label)-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw TestSupportError("mkdtemp in \(base): \(errorText())") }
        path = String(cString: made)
        guard chmod(path, 0o755) == 0 else { throw TestSupportError("chmod \(path): \(errorText())") }
    }

    deinit { remove() }

    /// Removes it now. Does not leave its file system: what is mounted below stays untouched.
    package func remove() { FileTree.remove(path) }

    /// `path/name`, made as a directory.
    package func directory(_ name: String) throws -> String {
        let made = "\(path)/\(name)"
        try FileTree.makeDirectory(made)
        return made
    }

    package func file(_ name: String, _ text: String) throws -> String {
        let made = "\(path)/\(name)"
        try FileTree.write(Array(text.utf8), to: made)
        return made
    }
}
