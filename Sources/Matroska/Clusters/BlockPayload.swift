import Bytes

/// What a SimpleBlock's or Block's own bytes say (RFC 9559 §10.1, §10.2).
struct BlockPayload {
    let track: UInt64
    let relativeTimestamp: Int16
    let flags: UInt8
    let frames: BlockFrames

    enum Parsed {
        case payload(BlockPayload)
        case need(FileRange)
        case bad(MatroskaError.Code, String)
    }

    /// Track number of up to 8 bytes, a timestamp of 2, flags.
    private static let maximumHeader: UInt64 = 11
    /// 255 EBML lace sizes of 8 bytes.
    private static let commonLace: UInt64 = 2048

    /// - Parameters:
    ///   - range: the data of the block.
    ///   - element: the place of its header: what is needed begins there, so that the next piece holds the header too.
    static func parse(_ range: FileRange, element: UInt64, in piece: FilePiece, limits: MatroskaLimits) -> Parsed {
        let known = min(maximumHeader, range.count)
        let bytes = piece.tail(from: range.offset, limit: known)
        let need = Parsed.need(FileRange(offset: element, end: range.offset + known))
        let isWhole = bytes.count == Int(known)
        guard case .value(let track) = VariableInteger.parse(bytes) else {
            if case .invalid = VariableInteger.parse(bytes) { return .bad(.badValue, "a track number of more than 8 bytes") }
            return isWhole ? .bad(.truncated, "a block of \(range.count) bytes") : need
        }
        guard track.value > 0, !track.isAllOnes else { return .bad(.badValue, "track number \(track.value)") }
        let rest = bytes.dropFirst(track.length)
        guard rest.count >= 3 else { return isWhole ? .bad(.truncated, "a block of \(range.count) bytes") : need }
        let start = rest.startIndex
        let relative = Int16(bitPattern: UInt16(rest[start]) << 8 | UInt16(rest[start + 1]))
        let flags = rest[start + 2]
        let payload = FileRange(offset: range.offset + UInt64(track.length) + 3, end: range.end)
        let lacing = Lacing(flags: flags)
        guard lacing != .none else {
            return .payload(BlockPayload(track: track.value, relativeTimestamp: relative, flags: flags, frames: .single(payload)))
        }
        guard !payload.isEmpty else { return .bad(.badLacing, "no number of frames") }
        switch lacing.parse(piece.tail(from: payload.offset, limit: min(payload.count, limits.laceBytes)), payload: payload) {
        case .frames(let frames):
            return .payload(BlockPayload(track: track.value, relativeTimestamp: relative, flags: flags, frames: .laced(frames)))
        case .bad(let detail): return .bad(.badLacing, detail)
        case .short:
            for count in [min(payload.count, commonLace, limits.laceBytes), min(payload.count, limits.laceBytes)]
            where piece.slice(at: payload.offset, count: count) == nil {
                return .need(FileRange(offset: element, end: payload.offset + count))
            }
            return .bad(.badLacing, "sizes of frames do not end")
        }
    }
}
