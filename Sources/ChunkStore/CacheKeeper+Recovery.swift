internal import Bytes
internal import Database
internal import Diagnostics
internal import Glibc

extension CacheKeeper {
    /// Learns what is stored. An index that was closed is believed if it names the objects that are there: an older one may have been
    /// put back. Else every object's map is read, and the index gives the times of use only.
    func recover() throws(DatabaseError) {
        let wasClosed = index.wasClosed
        try index.markOpen()
        let rows = try index.objects()
        let found = Set(objectNames())
        if wasClosed, found == Set(rows.map(\.name)) {
            for row in rows where catalog.name(row.name.generation) == nil { catalog.add(row.name, allocated: row.allocated) }
            return
        }
        var lost: UInt64 = 0
        for name in found.sorted(by: { $0.generation < $1.generation }) {
            // At a new start while the store runs, some are known and open.
            let known = catalog.name(name.generation) == nil ? nil : catalog.state(name.generation)
            if let state = known ?? ObjectState(stored: name, directory: directory) {
                try enter(state)
                if known != nil, !catalog.isOpen(state) { catalog.rest(state) }
            } else {
                if !catalog.removeIfUnused(name) { continue }
                ObjectFiles.remove(name, in: directory)
                lost += 1
            }
        }
        for state in catalog.residents where state.isStored && !state.isKept { try enter(state) }
        for row in rows where catalog.name(row.name.generation) == nil { try index.remove(row.name.generation) }
        if lost > 0 { log.write(.notice, "cache", "objects without a sound header were dropped", ["count": "\(lost)"]) }
    }

    private func enter(_ state: ObjectState) throws(DatabaseError) {
        let generation = state.name.generation
        let uses = try index.groups(of: generation)
        guard let files = state.openedFiles() else { return }
        var groups: [UInt64: UInt64] = [:]
        var total: UInt64 = 0
        var hole: UInt64 = 0
        var next: UInt64 = 0
        var holes: [FileRange] = []
        while let blocks = state.storedBlocks(from: next) {
            for block in blocks {
                let range = Block.range(block, fileSize: state.version.size)
                groups[block / BlockChunk.groupBlocks, default: 0] += range.count
                total += range.count
                if range.offset > hole { holes.append(FileRange(offset: hole, end: range.offset)) }
                hole = range.offset + Block.size
                next = block + 1
            }
        }
        // An eviction that was cut short leaves data that no map names.
        if files.data.extent.allocated > total + total / 64 + 16384 {
            for range in holes { _ = files.data.punch(range.offset, range.count) }
            let end = files.data.extent.size
            if end > hole { _ = files.data.punch(hole, (end - hole + Block.size - 1) / Block.size * Block.size) }
        }
        guard !groups.isEmpty || catalog.name(generation) != nil else {
            ObjectFiles.remove(state.name, in: directory)
            return try index.remove(generation)
        }
        if catalog.name(generation) == nil { catalog.add(state.name, allocated: files.allocated) }
        let now = environment.now()
        try index.connection.transaction { () throws(DatabaseError) in
            try index.remove(generation)
            try index.insert(state, allocated: files.allocated)
            for (group, bytes) in groups {
                try index.setGroup(generation, group, size: state.version.size, bytes: bytes, use: uses[group] ?? now)
            }
        }
    }

    /// The objects that have a file, by their names.
    private func objectNames() -> [ObjectName] {
        var names: [ObjectName] = []
        for folder in entries(directory + "/objects") where folder.utf8.count == 2 {
            for file in entries(directory + "/objects/" + folder) {
                guard let name = ObjectName(fileName: file), name.folder == folder else { continue }
                names.append(name)
            }
        }
        return names
    }

    private func entries(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
