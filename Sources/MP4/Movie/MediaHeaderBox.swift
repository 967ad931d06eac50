/// `mdhd` (ISO/IEC 14496-12 §8.4.2).
package struct MediaHeaderBox: Box, Hashable {
    package static let type: FourCC = "mdhd"

    package var isLong: Bool
    package var created: UInt64
    package var modified: UInt64
    package var timescale: UInt32
    /// In ticks of the track's timescale; all ones when unknown.
    package var duration: UInt64
    package var language: LanguageCode

    package init(timescale: UInt32, duration: UInt64, language: LanguageCode = .undetermined, created: UInt64 = 0, isLong: Bool = false) {
        self.isLong = isLong
        self.created = created
        modified = created
        self.timescale = timescale
        self.duration = duration
        self.language = language
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        isLong = try reader.versionAndFlags().version == 1
        created = try reader.time(isLong: isLong)
        modified = try reader.time(isLong: isLong)
        timescale = try reader.u32()
        guard timescale > 0 else { throw reader.error(.malformed, "timescale 0") }
        duration = try reader.time(isLong: isLong)
        language = LanguageCode(packed: try reader.u16())
        try reader.skip(2)
    }

    package func write(to writer: inout BoxWriter) {
        let isLong = isLong || needsLong(created, modified, duration)
        writer.fullBox(Self.type, version: isLong ? 1 : 0) { writer in
            writer.time(created, isLong: isLong)
            writer.time(modified, isLong: isLong)
            writer.u32(timescale)
            writer.time(duration, isLong: isLong)
            writer.u16(language.packed)
            writer.u16(0)
        }
    }
}
