internal import Glibc

/// What is served of a file or directory.
struct ServedNode: Hashable, Sendable {
    let isDirectory: Bool
    let size: UInt64
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
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
        inode = UInt64(info.st_ino)
    }

    /// Strong (RFC 9110 §8.8.1) as far as a file system can say: a file that is written again gets another time or inode.
    var entityTag: String {
        func hexadecimal(_ number: some BinaryInteger) -> String { String(number, radix: 16) }
        return "\"\(hexadecimal(size))-\(hexadecimal(modifiedSeconds)).\(hexadecimal(modifiedNanoseconds))-\(hexadecimal(inode))\""
    }

    var lastModified: String { HTTPTime.fixdate(modifiedSeconds) }
}
