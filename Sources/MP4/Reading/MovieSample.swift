/// A sample found in a file's tables. Times are in ticks of the track's timescale, before edits.
package struct MovieSample: Hashable, Sendable {
    /// Of its bytes, in the file.
    package var offset: UInt64
    package var size: UInt32
    package var decodeTime: UInt64
    package var duration: UInt32
    package var compositionOffset: Int32
    package var isSync: Bool
    /// Entry of `stsd`, counted from 1.
    package var description: UInt32

    /// May be negative where a file has negative offsets.
    package var presentationTime: Int64 { Int64(truncatingIfNeeded: decodeTime) &+ Int64(compositionOffset) }

    package init(
        offset: UInt64, size: UInt32, decodeTime: UInt64, duration: UInt32, compositionOffset: Int32 = 0, isSync: Bool = true, description: UInt32 = 1
    ) {
        self.offset = offset
        self.size = size
        self.decodeTime = decodeTime
        self.duration = duration
        self.compositionOffset = compositionOffset
        self.isSync = isSync
        self.description = description
    }
}
