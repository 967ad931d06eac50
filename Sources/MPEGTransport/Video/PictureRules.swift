internal import Codecs

/// What a start code says about where pictures begin.
enum PictureUnit: Hashable, Sendable {
    /// The first slice of a picture, or its header.
    case picture(PictureStart)
    /// More of the picture that was begun.
    case slice
    /// Stands in front of the next picture: parameter sets, sequence and group headers, supplemental information.
    case prefix(isDelimiter: Bool)
    /// Belongs to what was before it.
    case other
}

/// The head of a picture, as far as two fields of one frame and points of random access are told by it.
struct PictureStart: Hashable, Sendable {
    enum Structure: Hashable, Sendable { case frame, top, bottom }

    var structure = Structure.frame
    /// frame_num or temporal_reference: the same in both fields of a frame.
    var number: UInt32 = 0
    /// IDR, IRAP or I.
    var isIntra = false
    var isReference = true

    /// Whether this is the second field of the frame that `first` began.
    func completes(_ first: PictureStart) -> Bool {
        first.structure != .frame && structure != .frame && structure != first.structure && number == first.number
            && (isReference == first.isReference || first.isReference)
    }
}

/// The rules of one video codec.
enum PictureRules: Hashable, Sendable {
    case h264, hevc, mpeg

    init?(_ codec: TransportCodec) {
        switch codec {
        case .h264: self = .h264
        case .hevc: self = .hevc
        case .mpeg1Video, .mpeg2Video: self = .mpeg
        default: return nil
        }
    }

    /// Bytes behind 00 00 01 that `unit` looks at.
    static let lookAhead = 40

    /// - Parameters:
    ///   - bytes: what stands behind 00 00 01, not less than `lookAhead` bytes unless the stream ends.
    ///   - parameters: the sequence in force, for H.264's fields.
    func unit(_ bytes: UnsafeRawBufferPointer, _ parameters: H264SequenceParameters?) -> PictureUnit {
        guard let first = bytes.first else { return .other }
        switch self {
        case .h264: return h264(first, bytes, parameters)
        case .hevc:
            let type = HEVCNAL.type(first)
            switch type {
            case ..<32:
                guard bytes.count >= 3, bytes[2] & 0x80 != 0 else { return .slice }
                return .picture(PictureStart(isIntra: HEVCNAL.isRandomAccess(type), isReference: type > 14 || type & 1 == 1))
            case HEVCNAL.delimiter: return .prefix(isDelimiter: true)
            case 32...34, 39, 41...44, 48...55: return .prefix(isDelimiter: false)
            default: return .other
            }
        case .mpeg:
            switch first {
            case 0x00: return .picture(mpegPicture(bytes))
            case 0x01...0xAF: return .slice
            case 0xB3, 0xB8: return .prefix(isDelimiter: false)
            default: return .other
            }
        }
    }

    private func h264(_ first: UInt8, _ bytes: UnsafeRawBufferPointer, _ parameters: H264SequenceParameters?) -> PictureUnit {
        switch H264NAL.type(first) {
        case 1, 2, 5:
            guard bytes.count >= 2, bytes[1] & 0x80 != 0 else { return .slice }
            var start = PictureStart(isIntra: H264NAL.type(first) == H264NAL.idr, isReference: first & 0x60 != 0)
            if let parameters, parameters.isInterlaced {
                // slice_header() (§7.3.3)
                var reader = BitReader(RBSP.payload(of: Array(bytes.prefix(PictureRules.lookAhead)), headerSize: 1))
                _ = (reader.exp(), reader.exp(), reader.exp())
                if parameters.hasSeparatePlanes { reader.skip(2) }
                start.number = reader.bits(parameters.frameNumberBits)
                if reader.flag() { start.structure = reader.flag() ? .bottom : .top }
                if reader.overran { start.structure = .frame }
            }
            return .picture(start)
        case 3, 4: return .slice
        case H264NAL.delimiter: return .prefix(isDelimiter: true)
        case 6, 7, 8, 13...18: return .prefix(isDelimiter: false)
        default: return .other
        }
    }

    /// picture_header() and picture_coding_extension() (ISO/IEC 13818-2 §6.2.3)
    private func mpegPicture(_ bytes: UnsafeRawBufferPointer) -> PictureStart {
        guard bytes.count >= 3 else { return PictureStart() }
        let type = bytes[2] >> 3 & 7
        var start = PictureStart(
            number: UInt32(bytes[1]) << 2 | UInt32(bytes[2] >> 6), isIntra: type == 1, isReference: type != 3)
        if let code = StartCodes.next(in: bytes, from: 1), code + 7 <= bytes.count, bytes[code + 3] == 0xB5, bytes[code + 4] >> 4 == 8 {
            switch bytes[code + 6] & 3 {
            case 1: start.structure = .top
            case 2: start.structure = .bottom
            default: break
            }
        }
        return start
    }

    /// Whether a unit is needed for the decoder's configuration.
    func isParameters(_ first: UInt8) -> Bool {
        switch self {
        case .h264: [7, 8, 13].contains(H264NAL.type(first))
        case .hevc: (32...34).contains(HEVCNAL.type(first))
        case .mpeg: first == 0xB3
        }
    }

    func isSupplemental(_ first: UInt8) -> Bool { self == .h264 && H264NAL.type(first) == H264NAL.supplemental }
}
