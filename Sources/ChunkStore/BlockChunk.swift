internal import Bytes
internal import Glibc

/// What memory knows of 1024 blocks (64 MiB of a file): one page of the map file, 4.7 KiB when any of them is here.
///
/// Blocks are used and evicted in groups of 16 (1 MiB): the order of use then costs 8 bytes a MiB.
/// SAFETY: belongs to one `ObjectState` and is touched under its monitor only.
final class BlockChunk {
    static let blocks: UInt64 = 1024
    static let groupBlocks: UInt64 = 16
    static let groups = Int(blocks / groupBlocks)
    static let pageBytes = Int(blocks) * 4

    /// Per block its check, 0 when it is not here; no elements at all while none is.
    private(set) var checks: [UInt32] = []
    private var verified: [UInt64] = []
    private(set) var uses: [UInt64] = []
    private var pins: [UInt16] = []
    /// Groups whose use or content the index does not know yet.
    var unsaved: UInt64 = 0

    init() {}

    /// From a page of the map file.
    init(page: UnsafeRawBufferPointer) {
        guard page.contains(where: { $0 != 0 }) else { return }
        allocate()
        for index in 0..<min(checks.count, page.count / 4) {
            checks[index] = UInt32(littleEndian: page.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
    }

    var isEmpty: Bool { checks.isEmpty }

    private func allocate() {
        guard checks.isEmpty else { return }
        checks = Array(repeating: 0, count: Int(BlockChunk.blocks))
        verified = Array(repeating: 0, count: Int(BlockChunk.blocks) / 64)
        uses = Array(repeating: 0, count: BlockChunk.groups)
        pins = Array(repeating: 0, count: BlockChunk.groups)
    }

    func check(_ index: Int) -> UInt32 { checks.isEmpty ? 0 : checks[index] }

    func isVerified(_ index: Int) -> Bool { !verified.isEmpty && verified[index >> 6] & (1 << UInt64(index & 63)) != 0 }

    func setVerified(_ index: Int) { if !verified.isEmpty { verified[index >> 6] |= 1 << UInt64(index & 63) } }

    /// Records a block as stored and not yet verified, or (0) as not here.
    func set(_ index: Int, check: UInt32) {
        if check == 0 && checks.isEmpty { return }
        allocate()
        checks[index] = check
        verified[index >> 6] &= ~(1 << UInt64(index & 63))
        unsaved |= 1 << UInt64(index / Int(BlockChunk.groupBlocks))
    }

    func touch(_ index: Int, _ now: UInt64) {
        guard !uses.isEmpty else { return }
        let group = index / Int(BlockChunk.groupBlocks)
        uses[group] = now
        unsaved |= 1 << UInt64(group)
    }

    /// Pinned groups are not evicted. False: too many readers, read nothing.
    func pin(_ first: Int, _ last: Int) -> Bool {
        guard !pins.isEmpty else { return false }
        let range = first / Int(BlockChunk.groupBlocks)...last / Int(BlockChunk.groupBlocks)
        guard range.allSatisfy({ pins[$0] < .max }) else { return false }
        for group in range { pins[group] += 1 }
        return true
    }

    func unpin(_ first: Int, _ last: Int) {
        for group in first / Int(BlockChunk.groupBlocks)...last / Int(BlockChunk.groupBlocks) { pins[group] -= 1 }
    }

    func isPinned(group: Int) -> Bool { !pins.isEmpty && pins[group] > 0 }

    /// Forgets the group's blocks. Returns how many there were.
    func clear(group: Int) -> UInt64 {
        guard !checks.isEmpty else { return 0 }
        var count: UInt64 = 0
        for index in group * Int(BlockChunk.groupBlocks)..<(group + 1) * Int(BlockChunk.groupBlocks) where checks[index] != 0 {
            set(index, check: 0)
            count += 1
        }
        unsaved &= ~(1 << UInt64(group))
        return count
    }
}
