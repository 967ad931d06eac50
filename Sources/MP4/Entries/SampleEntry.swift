/// One format of samples in `stsd`.
package enum SampleEntry: Hashable, Sendable {
    case visual(VisualSampleEntry)
    case audio(AudioSampleEntry)
    /// `tx3g`.
    case text(TextSampleEntry)
    /// `wvtt` and what is not known.
    case other(OtherSampleEntry)

    /// Formats of moving pictures that are understood.
    package static let visualFormats: Set<FourCC> = [
        "avc1", "avc2", "avc3", "avc4", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav", "dav1", "av01", "vp08", "vp09", "mp4v", "s263", "mjpg",
        "jpeg", "apcn", "apch", "apcs", "apco", "ap4h", "ap4x", "vvc1", "vvi1",
    ]
    /// Formats of sound that are understood.
    package static let audioFormats: Set<FourCC> = [
        "mp4a", "ac-3", "ec-3", "ac-4", "Opus", "fLaC", "alac", "dtsc", "dtsh", "dtsl", "dtse", "dtsx", "ipcm", "fpcm", "mlpa", "lpcm", "sowt",
        "twos", "in24", "in32", "fl32", "fl64", "raw ", ".mp3", "samr", "sawb", "mha1", "mhm1",
    ]

    package var format: FourCC {
        switch self {
        case .visual(let entry): entry.format
        case .audio(let entry): entry.format
        case .text: TextSampleEntry.format
        case .other(let entry): entry.format
        }
    }

    /// Boxes in the entry: the decoder's configuration and what describes the picture.
    package var children: [RawBox] {
        switch self {
        case .visual(let entry): entry.children
        case .audio(let entry): entry.children
        case .text, .other: []
        }
    }

    /// - Parameter reader: in the entry's box.
    init(from reader: inout BoxReader) throws(MP4Error) {
        switch reader.type {
        case let type where Self.visualFormats.contains(type): self = .visual(try VisualSampleEntry(from: &reader))
        case let type where Self.audioFormats.contains(type): self = .audio(try AudioSampleEntry(from: &reader))
        case TextSampleEntry.format: self = .text(try TextSampleEntry(from: &reader))
        default: self = .other(try OtherSampleEntry(from: &reader))
        }
    }

    func write(to writer: inout BoxWriter) {
        switch self {
        case .visual(let entry): entry.write(to: &writer)
        case .audio(let entry): entry.write(to: &writer)
        case .text(let entry): entry.write(to: &writer)
        case .other(let entry): entry.write(to: &writer)
        }
    }

    /// The reserved bytes and the data reference all entries begin with (§8.5.2.2).
    static func readHead(_ reader: inout BoxReader) throws(MP4Error) {
        try reader.skip(8)
    }

    static func writeHead(to writer: inout BoxWriter) {
        writer.zeros(6)
        writer.u16(1)  // the one entry of dref: this file
    }
}
