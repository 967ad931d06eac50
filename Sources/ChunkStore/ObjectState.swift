internal import Bytes
internal import Glibc
internal import Threads

/// What memory knows of one stored version of an object, shared by everyone who has it open.
///
/// Reads never wait for the disk under the monitor, but for the first look at a page of the map file. A reader pins the
/// groups it copies from; the store's thread evicts no pinned group, and forgets a group before it punches it, so that
/// nobody starts to read what is about to become zeros.
///
/// SAFETY: `handles` and `isRetired` are read and written under the store's `catalog` monitor only; `isKnown` on the store's
/// thread only, which alone makes, writes and punches files; every other `var` under `monitor` only, and in the files of
/// this type only. Order of locks: `catalog`, then `monitor`.
final class ObjectState: @unchecked Sendable {
    let name: ObjectName
    let key: String
    let version: ObjectVersion
    let label: ObjectLabel
    /// The checksum over what all blocks have in common.
    private let identity: CRC32C
    let directory: String
    let monitor = Monitor()

    var pinnedText: String?
    var kept: Bool
    var hasFiles: Bool
    var files: ObjectFiles?
    /// Where the map file ends; pages behind it are empty.
    var mapEnd: UInt64 = 0
    var chunks: [UInt64: BlockChunk] = [:]
    /// Blocks that wait to be stored.
    var pending: [UInt64: [UInt8]] = [:]
    var unsaved = false
    /// Reads under way: while there are any, the files stay open and the chunks stay the ones that are pinned.
    var readers = 0

    var handles = 0
    var isRetired = false
    var isKnown = true

    /// A new object, without files yet.
    init(name: ObjectName, key: String, version: ObjectVersion, label: ObjectLabel, directory: String) {
        self.name = name
        self.key = key
        self.version = version
        self.label = label
        self.directory = directory
        identity = ObjectState.identity(name, key, version)
        kept = false
        hasFiles = false
    }

    /// An object that is stored; `nil` when its files are not both there, or the header is not its own.
    init?(stored name: ObjectName, directory: String) {
        guard let files = try? ObjectFiles.open(name, in: directory, create: false), let header = ObjectFiles.header(of: files.map, name) else {
            return nil
        }
        self.name = name
        key = header.key
        version = header.version
        label = header.label
        self.directory = directory
        identity = ObjectState.identity(name, header.key, header.version)
        pinnedText = header.pinned
        kept = true
        hasFiles = true
        self.files = files
        mapEnd = ObjectState.mapEnd(files, header.version)
    }

    private static func identity(_ name: ObjectName, _ key: String, _ version: ObjectVersion) -> CRC32C {
        var crc = CRC32C()
        crc.update(name.generation)
        crc.update(version.size)
        crc.update(UInt64(key.utf8.count))
        crc.update(key)
        crc.update(UInt64(version.tag.utf8.count))
        crc.update(version.tag)
        return crc
    }

    /// No further than the version's size allows: what a damaged file has behind that is nobody's.
    static func mapEnd(_ files: ObjectFiles, _ version: ObjectVersion) -> UInt64 {
        let (entries, overflow) = Block.count(fileSize: version.size).multipliedReportingOverflow(by: 4)
        return min(files.map.extent.size, overflow ? .max : UInt64(ObjectHeader.area) + entries)
    }

    func check(_ block: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var crc = identity
        crc.update(block)
        crc.update(bytes)
        return crc.value == 0 ? 1 : crc.value  // 0 means that the block is not here
    }

    // MARK: What it is

    var pinned: String? { monitor.locked { pinnedText } }
    var isKept: Bool { monitor.locked { kept } }
    var hasPending: Bool { monitor.locked { !pending.isEmpty } }
    var isStored: Bool { monitor.locked { hasFiles } }
    var residentChunks: Int { monitor.locked { chunks.count } }

    /// Returns: whether it has just become one that is not kept.
    func pin(_ text: String, keep: Bool) throws(CacheError) -> Bool {
        try monitor.locked { () throws(CacheError) in
            if pinnedText == nil, !hasFiles, pending.isEmpty {
                pinnedText = text
                kept = keep
                return false
            }
            guard pinnedText == text else {
                throw CacheError(.pinnedDiffers, "blocks of \(label.path) are stored under another validator")
            }
            defer { kept = kept && keep }
            return kept && !keep
        }
    }

    /// The bytes go at the last close.
    func stopKeeping() { monitor.locked { kept = false } }

    // MARK: Blocks

    func chunk(_ number: UInt64) -> BlockChunk? {
        if let chunk = chunks[number] { return chunk }
        guard let chunk = page(number) else { return nil }
        chunks[number] = chunk
        return chunk
    }

    /// From the map file, not remembered; `nil` behind its end.
    func page(_ number: UInt64) -> BlockChunk? {
        guard number < 1 << 38 else { return nil }  // blocks of a file of 2^64 bytes: 2^48
        let offset = UInt64(ObjectHeader.area) + number * UInt64(BlockChunk.pageBytes)
        guard offset < mapEnd, let files = opened() else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: BlockChunk.pageBytes, alignment: 8) { buffer in
            let count = files.map.read(
                UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(UInt64(buffer.count), mapEnd - offset)))), at: offset)
            return BlockChunk(page: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    func opened() -> ObjectFiles? {
        if let files { return files }
        guard hasFiles else { return nil }
        do throws(ObjectFiles.Failure) {
            let found = try ObjectFiles.open(name, in: directory, create: false)
            guard ObjectFiles.header(of: found.map, name)?.version == version else { throw ObjectFiles.Failure(code: ESTALE) }
            files = found
            return found
        } catch {
            // Whoever took them away: what was here is missing now. No reader is under way, or they would be open.
            chunks = [:]
            mapEnd = 0
            return nil
        }
    }

    /// The object's files, opened if need be.
    func openedFiles() -> ObjectFiles? { monitor.locked { opened() } }

    static func place(_ block: UInt64) -> (chunk: UInt64, index: Int) { (block / BlockChunk.blocks, Int(block % BlockChunk.blocks)) }

    func has(_ block: UInt64) -> Bool { monitor.locked { isHere(block) } }

    func isHere(_ block: UInt64) -> Bool {
        if !pending.isEmpty, pending[block] != nil { return true }
        let place = ObjectState.place(block)
        return (chunk(place.chunk)?.check(place.index) ?? 0) != 0
    }

    func missing(in blocks: Range<UInt64>) -> [Range<UInt64>] {
        let blocks = blocks.clamped(to: 0..<Block.count(fileSize: version.size))
        return monitor.locked {
            var result: [Range<UInt64>] = []
            var start: UInt64?
            var block = blocks.lowerBound
            while block < blocks.upperBound {
                let place = ObjectState.place(block)
                if pending.isEmpty, chunk(place.chunk).map(\.isEmpty) ?? true {
                    start = start ?? block
                    block = min(blocks.upperBound, (place.chunk + 1) * BlockChunk.blocks)
                    continue
                }
                if isHere(block) {
                    if let first = start { result.append(first..<block) }
                    start = nil
                } else {
                    start = start ?? block
                }
                block += 1
            }
            if let first = start { result.append(first..<blocks.upperBound) }
            return result
        }
    }
}
