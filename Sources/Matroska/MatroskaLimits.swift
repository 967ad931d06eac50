/// What a file may make a parser hold or do. Everything above is damage, never memory.
package struct MatroskaLimits: Hashable, Sendable {
    /// One TrackEntry, CuePoint, Tag or EditionEntry, which are read whole. The largest honest ones are TrackEntries whose
    /// CodecPrivate is an ASS header with styles of a whole series, some hundred KiB.
    package var elementBytes: UInt64 = 4 << 20
    /// All of them together but for CuePoints, with the names of attachments.
    package var headBytes: UInt64 = 32 << 20
    /// The EBML header; honest ones have about 40 bytes.
    package var headerBytes: UInt64 = 4 << 10
    package var tracks = 256
    /// Two hours at one cue per frame and 60 frames a second are 432,000; a cue takes 72 bytes of memory.
    package var cues = 1 << 20
    /// Entries of all SeekHeads, Tags and SimpleTags of all levels, chapters of all levels with their displays and languages,
    /// attachments: each kind for itself.
    package var entries = 10_000
    /// Children of one master that are of no use; above, the rest of the master is given up.
    package var strangers = 10_000
    /// ChapterAtoms and SimpleTags may stand inside each other; the standard sets no depth.
    package var depth = 16
    /// Faults that are kept of a head; further ones are not told.
    package var damages = 100
    /// Bytes that a search for the next Cluster looks through before it gives up. A hole of a broken download is of this order,
    /// and an origin far away must not be read to its end because of one wrong byte.
    package var searchBytes: UInt64 = 64 << 20
    /// Lace sizes in front of a block's frames. 256 frames in Xiph lacing need one byte per 255 bytes of payload: 64 KiB do for
    /// a block of 16 MiB, and laces carry small audio frames.
    package var laceBytes: UInt64 = 64 << 10
    /// One block. Above an uncompressed 8K frame; no memory follows from it.
    package var blockBytes: UInt64 = 1 << 30
    /// BlockAdditions and ReferenceBlocks of one BlockGroup, each.
    package var groupEntries = 64
    /// One frame after inflating. Compressed tracks are subtitles, whose largest are bitmaps of one screen: run-length coded at
    /// most 4 MiB at 1080p. Zlib makes a thousand bytes of one: more than this would be work for a file that has no use for it.
    package var inflatedBytes = 8 << 20

    package init() {}
}
