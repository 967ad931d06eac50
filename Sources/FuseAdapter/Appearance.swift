internal import Bytes
internal import CFuse
internal import Glibc
internal import SourceAPI
internal import VirtualTree

/// How nodes look to `stat`: owner and permission bits of the mount around what the tree knows.
struct Appearance: Sendable {
    let uid: uid_t
    let gid: gid_t
    /// Bits that are taken away.
    let umask: mode_t

    init(_ options: MountOptions) {
        uid = options.uid ?? getuid()
        gid = options.gid ?? getgid()
        umask = mode_t(options.umask ?? 0o022)
    }

    /// What `st_blksize` says: the size of the cache's blocks. Programs that buffer by it (stdio, Python) then read no
    /// more than one block for a few bytes.
    static let blockSize = 65_536

    /// The kernel keeps nothing longer than this, whatever the tree says: a change that was not noticed shows then.
    static let longestValidity = 3_600.0

    /// Write permission is shown although nothing can be written (EROFS says so): copies made with `cp -a` or
    /// `rsync -a` could not be changed or removed by their owner otherwise.
    func mode(of kind: RemoteEntry.Kind) -> mode_t {
        switch kind {
        case .directory: S_IFDIR | (0o777 & ~umask)
        case .file: S_IFREG | (0o666 & ~umask)
        }
    }

    func status(of attributes: Attributes) -> stat {
        var status = stat()
        let size = Int(clamping: attributes.size)
        let time = timespec(tv_sec: Int(attributes.modified?.seconds ?? 0), tv_nsec: 0)
        status.st_ino = ino_t(attributes.number)
        status.st_mode = mode(of: attributes.kind)
        status.st_nlink = nlink_t(attributes.linkCount)
        status.st_uid = uid
        status.st_gid = gid
        status.st_size = size
        status.st_blocks = size / 512 + (size % 512 == 0 ? 0 : 1)
        status.st_blksize = blksize_t(Self.blockSize)
        status.st_atim = time
        status.st_mtim = time
        status.st_ctim = time
        return status
    }

    /// Only what a directory list tells: number and type.
    func status(number: UInt64, kind: RemoteEntry.Kind) -> stat {
        var status = stat()
        status.st_ino = ino_t(number)
        status.st_mode = mode(of: kind)
        return status
    }

    func entry(of attributes: Attributes) -> fuse_entry_param {
        var entry = fuse_entry_param()
        entry.ino = attributes.number
        entry.attr = status(of: attributes)
        entry.attr_timeout = Self.seconds(attributes.validFor)
        entry.entry_timeout = entry.attr_timeout
        return entry
    }

    static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return min(max(Double(seconds) + Double(attoseconds) / 1e18, 0), longestValidity)
    }
}
