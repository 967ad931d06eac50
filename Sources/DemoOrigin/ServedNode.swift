internal import Glibc

/// What is served of a file or directory.
struct ServedNode: Hashable, Sendable {
    let isDirectory: Bool
    let size: UInt64
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
    /// When anything of it changed last, in nanoseconds since 1970: unlike the time of modification nobody can set it back.
    private let changed: Int64
    let inode: UInt64

    /// `nil` for links, devices, pipes: they are neither listed nor served.
    init?(_ info: stat) {
        switch info.st_mode & S_IFMT {
        case S_IFDIR: isDirectory = true
        case S_IFREG: isDirectory = false
        default: return nil
        }
        size = UInt64(clamping: info.st_size)
        modifiedSeconds = Int64(info.st_mtim.tv_sec)
        modifiedNanoseconds = Int64(info.st_mtim.tv_nsec)
        changed = Int64(info.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(info.st_ctim.tv_nsec)
        inode = UInt64(info.st_ino)
    }

    /// Strong (RFC 9110 §8.8.1) as far as a file system can say: size, times of modification and change, inode.
    var entityTag: String {
        func hexadecimal(_ number: some BinaryInteger) -> String { String(number, radix: 16) }
        let modified = "\(hexadecimal(modifiedSeconds)).\(hexadecimal(modifiedNanoseconds))"
        return "\"\(hexadecimal(size))-\(modified)-\(hexadecimal(changed))-\(hexadecimal(inode))\""
    }

    var lastModified: String { HTTPTime.fixdate(modifiedSeconds) }
}
