internal import CFuse
internal import Glibc

/// The table of functions that libfuse calls. They stand in a nonisolated static of a library on purpose: C callbacks
/// written in `main.swift` belong to the main actor and end the process on any other thread.
enum FuseOperations {
    static func table() -> fuse_lowlevel_ops {
        var operations = fuse_lowlevel_ops()
        operations.`init` = { _, connection in connection.map(FuseOperations.negotiate) }
        addNames(to: &operations)
        addFiles(to: &operations)
        addDirectories(to: &operations)
        addRefusals(to: &operations)
        return operations
    }

    private static func negotiate(_ connection: UnsafeMutablePointer<fuse_conn_info>) {
        // The same number must stand in the mount options, or the session ends here.
        connection.pointee.max_read = CUnsignedInt(ThreadBuffer.size)
        connection.pointee.max_readahead = CUnsignedInt(ThreadBuffer.size)
        // Read-aheads at once, of all files together. They stay for as long as an origin is waited for, also when their
        // readers are gone, and at the limit the kernel sends none for any other file either: so many that only
        // thousands of stuck readers come near. The kernel calls the mount congested at three quarters.
        connection.pointee.max_background = 4096
        connection.pointee.congestion_threshold = 3072
        // Sizes and times of a node never change, so nothing is to be dropped when they are seen. No splice: replies
        // are copied, which was measured twice as fast. No asynchronous direct reads: the kernel waits for those in a
        // way that no signal ends, not even SIGKILL.
        let unwanted =
            FUSE_CAP_ASYNC_DIO | FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE
            | FUSE_CAP_WRITEBACK_CACHE
        connection.pointee.want &= ~CUnsignedInt(bitPattern: unwanted)
    }

    private static func addNames(to operations: inout fuse_lowlevel_ops) {
        operations.lookup = { request, parent, name in
            guard let request, let name else { return }
            FuseFileSystem.of(request).lookup(request, parent, Array(UnsafeRawBufferPointer(start: name, count: strlen(name))))
        }
        operations.forget = { request, number, count in
            guard let request else { return }
            FuseFileSystem.of(request).tree.forget(number, count: count)
            fuse_reply_none(request)
        }
        operations.forget_multi = { request, count, forgets in
            guard let request else { return }
            let tree = FuseFileSystem.of(request).tree
            for item in UnsafeBufferPointer(start: forgets, count: count) { tree.forget(item.ino, count: item.nlookup) }
            fuse_reply_none(request)
        }
        operations.getattr = { request, number, _ in
            guard let request else { return }
            FuseFileSystem.of(request).attributes(request, number)
        }
        operations.access = { request, number, mask in
            guard let request else { return }
            FuseFileSystem.of(request).access(request, number, mask)
        }
        operations.statfs = { request, _ in
            guard let request else { return }
            FuseFileSystem.of(request).statistics(request)
        }
        operations.getxattr = { request, number, name, size in
            guard let request, let name else { return }
            FuseFileSystem.of(request).extendedAttribute(request, number, name: String(cString: name), size: size)
        }
        operations.listxattr = { request, number, size in
            guard let request else { return }
            FuseFileSystem.of(request).extendedAttributeNames(request, number, size: size)
        }
    }

    private static func addFiles(to operations: inout fuse_lowlevel_ops) {
        operations.open = { request, number, information in
            guard let request, let information else { return }
            FuseFileSystem.of(request).open(request, number, flags: information.pointee.flags)
        }
        operations.read = { request, number, size, offset, information in
            guard let request, let information else { return }
            FuseFileSystem.of(request).read(request, number, size: size, offset: offset, handle: information.pointee.fh)
        }
        operations.release = { request, _, information in
            guard let request, let information else { return }
            FuseFileSystem.of(request).release(request, handle: information.pointee.fh)
        }
    }

    private static func addDirectories(to operations: inout fuse_lowlevel_ops) {
        operations.opendir = { request, number, _ in
            guard let request else { return }
            FuseFileSystem.of(request).openDirectory(request, number)
        }
        operations.readdir = { request, _, size, offset, information in
            guard let request, let information else { return }
            FuseFileSystem.of(request).list(request, size: size, offset: offset, handle: information.pointee.fh)
        }
        operations.readdirplus = { request, _, size, offset, information in
            guard let request, let information else { return }
            FuseFileSystem.of(request).listWithAttributes(request, size: size, offset: offset, handle: information.pointee.fh)
        }
        operations.releasedir = { request, _, information in
            guard let request, let information else { return }
            FuseFileSystem.of(request).releaseDirectory(request, handle: information.pointee.fh)
        }
    }

    /// Everything that would write. The mount is read-only, so the kernel asks for these only if somebody remounts it.
    private static func addRefusals(to operations: inout fuse_lowlevel_ops) {
        operations.setattr = { request, _, _, _, _ in FuseOperations.refuse(request) }
        operations.mknod = { request, _, _, _, _ in FuseOperations.refuse(request) }
        operations.mkdir = { request, _, _, _ in FuseOperations.refuse(request) }
        operations.unlink = { request, _, _ in FuseOperations.refuse(request) }
        operations.rmdir = { request, _, _ in FuseOperations.refuse(request) }
        operations.symlink = { request, _, _, _ in FuseOperations.refuse(request) }
        operations.rename = { request, _, _, _, _, _ in FuseOperations.refuse(request) }
        operations.link = { request, _, _, _ in FuseOperations.refuse(request) }
        operations.write = { request, _, _, _, _, _ in FuseOperations.refuse(request) }
        operations.setxattr = { request, _, _, _, _, _ in FuseOperations.refuse(request) }
        operations.removexattr = { request, _, _ in FuseOperations.refuse(request) }
        operations.create = { request, _, _, _, _ in FuseOperations.refuse(request) }
        operations.fallocate = { request, _, _, _, _, _ in FuseOperations.refuse(request) }
    }

    private static func refuse(_ request: fuse_req_t?) {
        guard let request else { return }
        fuse_reply_err(request, EROFS)
    }
}
