internal import Bytes

/// Size and type of a box, found in the first bytes of it, for walking over a file without reading it.
package struct BoxHeader: Hashable, Sendable {
    package let type: FourCC
    /// Of the whole box; `nil`: it lasts to the end of the file.
    package let size: UInt64?
    /// 8, or 16 with a 64-bit size.
    package let headerSize: Int

    /// Bytes that `init` needs at most.
    package static let maximumSize = 16

    /// - Throws: `.truncated` if `bytes` are too few: then ask again with `maximumSize` bytes.
    package init(_ bytes: [UInt8], fileOffset: UInt64 = 0) throws(MP4Error) {
        func fault(_ code: MP4Error.Code, _ detail: String) -> MP4Error { MP4Error(code: code, path: "", offset: fileOffset, detail: detail) }
        var reader = BigEndianReader(bytes)
        let short = reader.u32()
        type = FourCC(rawValue: reader.u32())
        var size: UInt64? = UInt64(short)
        if short == 0 { size = nil }
        if short == 1 { size = reader.u64() }
        guard !reader.overran else { throw fault(.truncated, "box header") }
        headerSize = short == 1 ? 16 : 8
        if let size, size < UInt64(headerSize) { throw fault(.malformed, "box \(type) of \(size) bytes") }
        self.size = size
    }
}
