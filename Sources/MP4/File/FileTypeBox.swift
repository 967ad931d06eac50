/// `ftyp` (ISO/IEC 14496-12 §4.3): what the file conforms to.
package struct FileTypeBox: Box, Hashable {
    package static let type: FourCC = "ftyp"

    package var major: FourCC
    package var minor: UInt32
    package var compatible: [FourCC]

    package init(major: FourCC, minor: UInt32, compatible: [FourCC]) {
        self.major = major
        self.minor = minor
        self.compatible = compatible
    }

    /// One `moov` with all tables.
    package static let progressive = FileTypeBox(major: "isom", minor: 0x200, compatible: ["isom", "iso2", "mp41"])
    /// `moof` by `moof`, with an index. default-base-is-moof needs `iso5`, several 64-bit `sidx` `iso6`.
    package static let fragmented = FileTypeBox(major: "iso5", minor: 0x200, compatible: ["iso6", "iso5", "isom", "mp41", "dash"])

    package init(from reader: inout BoxReader) throws(MP4Error) {
        major = try reader.code()
        minor = try reader.u32()
        compatible = []
        while reader.remaining >= 4 { compatible.append(try reader.code()) }
    }

    package func write(to writer: inout BoxWriter) { writer.box(Self.type) { writeFields(to: &$0) } }

    func writeFields(to writer: inout BoxWriter) {
        writer.code(major)
        writer.u32(minor)
        for brand in compatible { writer.code(brand) }
    }
}
