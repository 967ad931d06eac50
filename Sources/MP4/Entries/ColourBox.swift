/// `colr` (ISO/IEC 14496-12 §12.1.5).
package enum ColourBox: Box, Hashable {
    package static let type: FourCC = "colr"

    /// Code points of ITU-T H.273; `nclx`.
    case coded(primaries: UInt16, transfer: UInt16, matrix: UInt16, isFullRange: Bool)
    /// QuickTime's `nclc`, without the range.
    case quickTime(primaries: UInt16, transfer: UInt16, matrix: UInt16)
    /// `rICC` or `prof`, and the profile.
    case profile(FourCC, [UInt8])

    package init(from reader: inout BoxReader) throws(MP4Error) {
        let kind = try reader.code()
        switch kind {
        case "nclx":
            self = .coded(
                primaries: try reader.u16(), transfer: try reader.u16(), matrix: try reader.u16(), isFullRange: try reader.u8() & 0x80 != 0)
        case "nclc": self = .quickTime(primaries: try reader.u16(), transfer: try reader.u16(), matrix: try reader.u16())
        default: self = .profile(kind, reader.rest())
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            switch self {
            case .coded(let primaries, let transfer, let matrix, let isFullRange):
                writer.code("nclx")
                for value in [primaries, transfer, matrix] { writer.u16(value) }
                writer.u8(isFullRange ? 0x80 : 0)
            case .quickTime(let primaries, let transfer, let matrix):
                writer.code("nclc")
                for value in [primaries, transfer, matrix] { writer.u16(value) }
            case .profile(let kind, let bytes):
                writer.code(kind)
                writer.bytes(bytes)
            }
        }
    }
}
