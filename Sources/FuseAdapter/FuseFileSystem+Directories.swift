internal import CFuse
internal import Glibc
internal import SourceAPI
internal import VirtualTree

/// Listing. A position in a directory is the index of the next entry: 0 is `.`, 1 is `..`, then the snapshot's items. It
/// means the same for as long as the handle is open.
extension FuseFileSystem {
    func openDirectory(_ request: fuse_req_t, _ number: UInt64) {
        let reply = PendingReply(request, "list", pending)
        let task = tree.openDirectory(number) { [self] result in
            switch result {
            case .success(let directory):
                let handle = directories.insert(directory)
                var information = fuse_file_info()
                information.fh = handle
                if !reply.answer({ fuse_reply_open($0, &information) }) { _ = directories.remove(handle) }
            case .failure(let error): fail(reply, number, error)
            }
        }
        if let task { reply.arm { task.cancel() } }
    }

    func releaseDirectory(_ request: fuse_req_t, handle: UInt64) {
        _ = directories.remove(handle)
        fuse_reply_err(request, 0)
    }

    func list(_ request: fuse_req_t, size: Int, offset: Int, handle: UInt64) {
        fill(request, size: size, offset: offset, handle: handle) { directory, index, name, room, start in
            guard let entry = Self.plainEntry(of: directory, at: index) else { return 0 }
            var status = appearance.status(number: entry.number, kind: entry.kind)
            return fuse_add_direntry(request, start, room, name, &status, off_t(index + 1))
        }
    }

    func listWithAttributes(_ request: fuse_req_t, size: Int, offset: Int, handle: UInt64) {
        // Each entry that is sent with a node number counts as one look-up, to be undone if the answer is not taken.
        var counted: [UInt64] = []
        let isTaken = fill(request, size: size, offset: offset, handle: handle) { directory, index, name, room, start in
            let needed = fuse_add_direntry_plus(request, nil, 0, name, nil, 0)
            guard needed <= room, let plain = Self.plainEntry(of: directory, at: index) else { return needed }
            var entry: fuse_entry_param
            if index >= 2, let attributes = directory.remember(index - 2) {
                counted.append(attributes.number)
                entry = appearance.entry(of: attributes)
            } else {
                // Node number 0: the kernel takes the name only, and looks it up when somebody asks for more.
                entry = fuse_entry_param()
                entry.attr = appearance.status(number: plain.number, kind: plain.kind)
            }
            return fuse_add_direntry_plus(request, start, room, name, &entry, off_t(index + 1))
        }
        if !isTaken { for number in counted { tree.forget(number, count: 1) } }
    }

    /// Number and type of the entry at a position.
    private static func plainEntry(of directory: any TreeDirectory, at index: Int) -> (number: UInt64, kind: RemoteEntry.Kind)? {
        switch index {
        case 0: (directory.number, .directory)
        case 1: (directory.parentNumber, .directory)
        default: directory.item(at: index - 2).map { ($0.number, $0.kind) }
        }
    }

    /// Answers with as many entries from `offset` on as there is room for.
    ///
    /// - Parameter add: writes one entry to `start` if `room` is enough.
    ///   Returns: the bytes that the entry takes, written or not.
    /// - Returns: whether the kernel took the answer.
    @discardableResult
    private func fill(
        _ request: fuse_req_t, size: Int, offset: Int, handle: UInt64,
        add: (_ directory: any TreeDirectory, _ index: Int, _ name: UnsafePointer<CChar>, _ room: Int, _ start: UnsafeMutablePointer<CChar>) -> Int
    ) -> Bool {
        guard let directory = directories[handle], offset >= 0 else {
            fuse_reply_err(request, EBADF)
            return false
        }
        guard let memory = ThreadBuffer.ofThisThread(), let start = memory.baseAddress?.assumingMemoryBound(to: CChar.self) else {
            fuse_reply_err(request, ENOMEM)
            return false
        }
        let room = min(size, memory.count)
        var used = 0
        var index = offset
        while let name = Self.name(of: directory, at: index) {
            let needed = name.withUnsafeBufferPointer { name in
                guard let name = name.baseAddress else { return 0 }
                return add(directory, index, name, room - used, start + used)
            }
            guard needed > 0, needed <= room - used else { break }
            used += needed
            index += 1
        }
        return fuse_reply_buf(request, start, used) == 0
    }

    /// The name at a position, ended by a zero byte; `nil` past the end.
    private static func name(of directory: any TreeDirectory, at index: Int) -> [CChar]? {
        switch index {
        case 0: return [0x2E, 0]
        case 1: return [0x2E, 0x2E, 0]
        default:
            guard let item = directory.item(at: index - 2) else { return nil }
            var name: [CChar] = []
            name.reserveCapacity(item.name.count + 1)
            for byte in item.name { name.append(CChar(bitPattern: byte)) }
            name.append(0)
            return name
        }
    }
}
