internal import CFuse
internal import Diagnostics
internal import Glibc
internal import SourceAPI
internal import VirtualTree

/// What the kernel's requests for one mount work on. Its methods are called by libfuse's threads, many at a time; none
/// of them waits for an origin.
final class FuseFileSystem: Sendable {
    let tree: any MountableTree
    let appearance: Appearance
    let failures: FailureLog
    let pending = PendingTable()
    let files = HandleTable<OpenHandle>()
    let directories = HandleTable<any TreeDirectory>()

    init(tree: any MountableTree, options: MountOptions, log: Log) {
        self.tree = tree
        appearance = Appearance(options)
        failures = FailureLog(log)
    }

    /// The file system that a request is for. It lives as long as its session.
    static func of(_ request: fuse_req_t) -> FuseFileSystem {
        guard let context = fuse_req_userdata(request) else { preconditionFailure("a FUSE session without its file system") }
        return Unmanaged<FuseFileSystem>.fromOpaque(context).takeUnretainedValue()
    }

    /// Answers with the error's number and tells people, once.
    func fail(_ reply: PendingReply, _ number: UInt64, _ error: TreeError) {
        if reply.answer({ fuse_reply_err($0, ErrorNumber.of(error.code)) }) { failures.report(reply.operation, number, error) }
    }

    /// Closes everything that the kernel did not: it sends nothing any more once the mount is gone.
    func closeAll() {
        for handle in files.removeAll() { handle.file.close() }
        _ = directories.removeAll()
    }
}

// MARK: Names and attributes

extension FuseFileSystem {
    func lookup(_ request: fuse_req_t, _ parent: UInt64, _ name: [UInt8]) {
        guard name.count <= 255 else {
            fuse_reply_err(request, ENAMETOOLONG)
            return
        }
        let reply = PendingReply(request, "look-up", pending)
        let task = tree.lookup(parent: parent, name: name) { [self] result in
            switch result {
            case .success(let attributes):
                var entry = appearance.entry(of: attributes)
                // Who got no answer counts no look-up, and will never forget it.
                if !reply.answer({ fuse_reply_entry($0, &entry) }) { tree.forget(attributes.number, count: 1) }
            case .failure(let error): fail(reply, parent, error)
            }
        }
        if let task { reply.arm { task.cancel() } }
    }

    func attributes(_ request: fuse_req_t, _ number: UInt64) {
        let reply = PendingReply(request, "stat", pending)
        let task = tree.attributes(of: number) { [self] result in
            switch result {
            case .success(let attributes):
                var status = appearance.status(of: attributes)
                reply.answer { fuse_reply_attr($0, &status, Appearance.seconds(attributes.validFor)) }
            case .failure(let error): fail(reply, number, error)
            }
        }
        if let task { reply.arm { task.cancel() } }
    }

    /// access(2), when the kernel does not check permissions itself: then only the mounting user gets here.
    func access(_ request: fuse_req_t, _ number: UInt64, _ mask: CInt) {
        guard mask & W_OK == 0 else {
            fuse_reply_err(request, EROFS)
            return
        }
        let reply = PendingReply(request, "access", pending)
        let task = tree.attributes(of: number) { [self] result in
            switch result {
            case .success(let attributes):
                let isRefused = mask & X_OK != 0 && !attributes.isDirectory
                reply.answer { fuse_reply_err($0, isRefused ? EACCES : 0) }
            case .failure(let error): fail(reply, number, error)
            }
        }
        if let task { reply.arm { task.cancel() } }
    }

    func statistics(_ request: fuse_req_t) {
        let totals = tree.totals()
        var answer = statvfs()
        let unit: UInt64 = 4096
        answer.f_bsize = UInt(unit)
        answer.f_frsize = UInt(unit)
        answer.f_blocks = fsblkcnt_t(totals.bytes / unit)
        answer.f_bfree = fsblkcnt_t(min(totals.freeBytes, totals.bytes) / unit)
        answer.f_bavail = answer.f_bfree
        answer.f_files = fsfilcnt_t(totals.files)
        answer.f_namemax = 255
        fuse_reply_statfs(request, &answer)
    }
}

// MARK: Files

extension FuseFileSystem {
    func open(_ request: fuse_req_t, _ number: UInt64, flags: CInt) {
        guard flags & O_ACCMODE == O_RDONLY, flags & (O_TRUNC | O_APPEND) == 0 else {
            fuse_reply_err(request, EROFS)
            return
        }
        let reply = PendingReply(request, "open", pending)
        let task = tree.open(number) { [self] result in
            switch result {
            case .success(let file):
                let handle = files.insert(OpenHandle(file))
                var information = fuse_file_info()
                information.fh = handle
                // A node is one version of a file: what the kernel has of it stays right.
                information.keep_cache = 1
                information.noflush = 1
                if !reply.answer({ fuse_reply_open($0, &information) }) { files.remove(handle)?.file.close() }
            case .failure(let error): fail(reply, number, error)
            }
        }
        if let task { reply.arm { task.cancel() } }
    }

    func read(_ request: fuse_req_t, _ number: UInt64, size: Int, offset: Int, handle: UInt64) {
        guard let start = UInt64(exactly: offset) else {
            fuse_reply_err(request, EINVAL)
            return
        }
        guard let open = files[handle] else {
            fuse_reply_err(request, EBADF)
            return
        }
        if let error = open.failure(forRepeatAt: start, count: size) {
            fuse_reply_err(request, ErrorNumber.of(error))
            return
        }
        // A shorter answer than asked would mean the end of the file; so a request beyond the buffer, which was not
        // negotiated, is refused.
        guard let buffer = ThreadBuffer.ofThisThread(), size <= buffer.count else {
            fuse_reply_err(request, ENOMEM)
            return
        }
        let reply = PendingReply(request, "read", pending)
        let began = SuspendingClock.now
        let outcome = open.file.read(at: start, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])) { [self] result in
            switch result {
            case .success(let bytes): reply.answer { Self.send(bytes, at: $0, atMost: size) }
            case .failure(let error):
                open.note(error.code, at: start, count: size, began: began)
                fail(reply, number, TreeError(error))
            }
        }
        switch outcome {
        case .done(let count): reply.answer { Self.send(UnsafeRawBufferPointer(buffer), at: $0, atMost: min(count, size)) }
        case .pending(let task): reply.arm { task.cancel() }
        }
    }

    private static func send(_ bytes: UnsafeRawBufferPointer, at request: fuse_req_t, atMost limit: Int) -> CInt {
        fuse_reply_buf(request, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), min(bytes.count, max(limit, 0)))
    }

    func release(_ request: fuse_req_t, handle: UInt64) {
        let open = files.remove(handle)
        fuse_reply_err(request, 0)
        open?.file.close()
    }
}

// MARK: Extended attributes

extension FuseFileSystem {
    func extendedAttribute(_ request: fuse_req_t, _ number: UInt64, name: String, size: Int) {
        // `ls -l` asks for security.capability and system.posix_acl_access of each file.
        guard name.hasPrefix("user."), let found = tree.extendedAttributes(of: number).first(where: { $0.name == name }) else {
            fuse_reply_err(request, ENODATA)
            return
        }
        Self.sendAttribute(request, found.value, size: size)
    }

    func extendedAttributeNames(_ request: fuse_req_t, _ number: UInt64, size: Int) {
        var names: [UInt8] = []
        for attribute in tree.extendedAttributes(of: number) { names += Array(attribute.name.utf8) + [0] }
        Self.sendAttribute(request, names, size: size)
    }

    /// getxattr(2): size 0 asks for the size.
    private static func sendAttribute(_ request: fuse_req_t, _ value: [UInt8], size: Int) {
        if size == 0 {
            fuse_reply_xattr(request, value.count)
        } else if value.count > size {
            fuse_reply_err(request, ERANGE)
        } else {
            value.withUnsafeBytes { _ = send($0, at: request, atMost: size) }
        }
    }
}
