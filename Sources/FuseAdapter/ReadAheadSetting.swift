internal import Glibc

/// How far ahead the kernel reads into its page cache: 128 KiB unless root says otherwise, and a mount cannot ask for more.
package enum ReadAheadSetting {
    /// What a request may have, in KiB.
    package static let kilobytes = 1024

    /// Sets the read-ahead of a file system. Needs root and a writable `/sys`; without them the kernel's own stays.
    ///
    /// - Parameter device: `major:minor` as the mount table has it.
    /// - Returns: whether it is set.
    @discardableResult
    package static func apply(device: String, kilobytes: Int = kilobytes) -> Bool {
        guard device.utf8.allSatisfy({ $0 == UInt8(ascii: ":") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
        let descriptor = open("/sys/class/bdi/\(device)/read_ahead_kb", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let text = Array("\(kilobytes)\n".utf8)
        return write(descriptor, text, text.count) == text.count
    }
}
