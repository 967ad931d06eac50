internal import Glibc

/// `sockaddr_un` (unix(7)): `sun_path` holds 107 bytes and a NUL.
enum SocketAddress {
    /// The shorter of the path itself and its name below the open directory in /proc, which fits always.
    static func path(_ location: SocketLocation, directory: Int32) -> String {
        location.path.utf8.count <= 107 ? location.path : "/proc/self/fd/\(directory)/\(location.name)"
    }

    /// Calls `body` with the address. -1 with ENAMETOOLONG when the path does not fit.
    static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return -1
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    static func makeSocket() -> Int32 {
        // SOCK_STREAM is an enumeration in the Glibc module; SOCK_CLOEXEC is O_CLOEXEC, SOCK_NONBLOCK is O_NONBLOCK on Linux.
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
    }
}
