internal import Bytes
internal import Database

final class ObjectState: @unchecked Sendable {
    let key: String
    let version: ObjectVersion
    let label: ObjectLabel
    private let monitor = Monitor()
    private var pinnedText: String?
    private var blocks: [UInt64: [UInt8]] = [:]

    init(key: String, version: ObjectVersion, label: ObjectLabel) {
        self.key = key
        self.version = version
        self.label = label
    }

    var pinned: String? { monitor.locked { pinnedText } }

    func pin(_ text: String, keep: Bool) throws(CacheError) {
        try monitor.locked { () throws(CacheError) in
            if let pinnedText, pinnedText != text { throw CacheError(.pinnedDiffers, "another version is pinned") }
            pinnedText = text
        }
    }

    func has(_ block: UInt64) -> Bool { monitor.locked { blocks[block] != nil } }

    func missing(in range: Range<UInt64>) -> [Range<UInt64>] {
        var result: [Range<UInt64>] = []
        for block in range where !has(block) {
            if let last = result.last, last.upperBound == block { result[result.count - 1] = last.lowerBound..<(block + 1) } else { result.append(block..<(block + 1)) }
        }
        return result
    }

    func read(_ range: FileRange, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let want = Int(min(UInt64(buffer.count), range.count, version.size - min(version.size, range.offset)))
        var done = 0
        while done < want {
            let offset = range.offset + UInt64(done)
            guard let bytes = monitor.locked({ blocks[Block.number(at: offset)] }) else { break }
            let inside = Int(offset % Block.size)
            let count = min(bytes.count - inside, want - done)
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyMemory(from: .init(rebasing: $0[inside..<(inside + count)])) }
            done += count
        }
        return done
    }

    func write(_ block: UInt64, _ bytes: [UInt8]) {
        guard Block.range(block, fileSize: version.size).count == UInt64(bytes.count), !bytes.isEmpty else { return }
        monitor.locked { if blocks[block] == nil { blocks[block] = bytes } }
    }
}
