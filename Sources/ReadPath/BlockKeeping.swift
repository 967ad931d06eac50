internal import Bytes
internal import ChunkStore

/// What the read path needs of a cached object. Methods may be called from any thread, and do not call back.
protocol BlockKeeping: AnyObject, Sendable {
    var pinned: String? { get }
    /// - Throws: `.pinnedDiffers` when blocks are kept under another text.
    func pin(_ text: String, keep: Bool) throws(CacheError)
    func has(_ block: UInt64) -> Bool
    func missing(in blocks: Range<UInt64>) -> [Range<UInt64>]
    /// Copies what is here without a gap from the range's start; fewer bytes than asked: the next block is missing.
    func read(_ range: FileRange, into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// May drop the block: a read then misses it.
    func write(_ block: UInt64, _ bytes: [UInt8])
    func retire()
    func close()
}

extension CachedObject: BlockKeeping {}

/// Stands in when the cache cannot open an object: nothing is kept but what memory holds for the moment.
final class UnkeptBlocks: BlockKeeping {
    var pinned: String? { nil }
    func pin(_ text: String, keep: Bool) {}
    func has(_ block: UInt64) -> Bool { false }
    func missing(in blocks: Range<UInt64>) -> [Range<UInt64>] { blocks.isEmpty ? [] : [blocks] }
    func read(_ range: FileRange, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
    func write(_ block: UInt64, _ bytes: [UInt8]) {}
    func retire() {}
    func close() {}
}

/// Opens or creates the object of a key and version.
typealias BlockKeeper = @Sendable (_ key: String, _ version: ObjectVersion, _ label: ObjectLabel) throws(CacheError) -> any BlockKeeping
