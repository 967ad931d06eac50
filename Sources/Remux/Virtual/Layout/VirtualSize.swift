/// Where a byte range of the source stands in the virtual MP4, and how large that is: arithmetic on the source's size, without
/// a byte of it. `docs/virtual-mp4.md` has the whole layout.
package struct VirtualSize: Hashable, Sendable {
    /// Bytes in front of the first region: `ftyp`, `moov`, a `free` box, one `sidx` per track. Grows with what stands before
    /// the source's first frame.
    package static let header: UInt64 = 512 << 10
    /// A `free` box at the end. Players read the last bytes at once, and that must cost no request.
    package static let tail: UInt64 = 64 << 10
    /// What `ftyp` and `moov` may take of the header; the rest is for the index.
    static let movieBytes: UInt64 = 128 << 10

    /// Each region has its source bytes and this part of them as reserve: a 16th for Matroska, whose frames are copied; an
    /// 8th for transport streams, whose frames grow when start codes become lengths.
    private let shift: UInt64
    /// Bytes of the source.
    package let source: UInt64

    /// No file is larger; what says so is held there, so that no sum overflows.
    private static let largest: UInt64 = 1 << 61

    private init(shift: UInt64, source: UInt64) {
        self.shift = shift
        self.source = min(source, Self.largest)
    }

    /// By the source's name alone, whatever is in it; `nil` for names that have no virtual MP4.
    package init?(name: some StringProtocol, source: UInt64) {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "mkv", "webm": self.init(shift: 4, source: source)
        case "ts", "m2ts", "mts": self.init(shift: 3, source: source)
        default: return nil
        }
    }

    package static func matroska(source: UInt64) -> VirtualSize { VirtualSize(shift: 4, source: source) }
    package static func transport(source: UInt64) -> VirtualSize { VirtualSize(shift: 3, source: source) }

    /// The place of the source's byte `offset`. Grows with `offset`.
    package func place(_ offset: UInt64) -> UInt64 {
        let offset = min(offset, source)
        return Self.header + offset + offset >> shift
    }

    /// Bytes of the virtual MP4.
    package var total: UInt64 { place(source) + Self.tail }

    /// What a region's reserve is of `bytes` of the source.
    func reserve(_ bytes: UInt64) -> UInt64 { bytes >> shift }

    /// How many bytes of the source have `reserve` as theirs.
    func bytes(reserving reserve: UInt64) -> UInt64 { min(reserve, Self.largest >> shift) << shift }
}
