internal import MPEGTransport
internal import Matroska

/// What parsers found, in words for people: no name of our own code stands in them.
extension TransportDamage {
    var words: String { kind.words + (pid.map { " (stream \($0))" } ?? "") }
}

extension TransportDamage.Kind {
    var words: String {
        switch self {
        case .garbage: "bytes that belong to no packet"
        case .truncatedPacket: "the last packet is cut short"
        case .transportError: "a packet that the receiver marked as faulty; it is left out"
        case .badPacket: "a packet whose header contradicts itself; it is left out"
        case .continuity: "packets are missing"
        case .scrambled: "scrambled packets; they are left out"
        case .badSection: "a damaged table"
        case .tooMany: "more programs or streams than any broadcast has; the rest is left out"
        case .badPES: "a frame's header is missing"
        case .shortPES: "a frame ends before its stated length"
        case .badTimestamp: "a time that cannot be right"
        case .noTimestamp: "frames in front of the first time; they are left out"
        case .lostFrame: "bytes between two frames of sound"
        case .unsupportedFrame: "sound in a form that an MP4 cannot have; it is left out"
        case .tooLarge: "a frame that is larger than any"
        case .timeJump: "the clock jumps; the film goes on without a gap"
        }
    }
}

extension MatroskaError {
    var words: String { (path.isEmpty ? "" : "\(path): ") + code.words + (detail.isEmpty ? "" : " (\(detail))") }
}

extension MatroskaError.Code {
    var words: String {
        switch self {
        case .notMatroska: "it is neither Matroska nor WebM"
        case .unsupportedVersion: "it asks for a newer version of Matroska than is known here"
        case .invalidID: "no element can begin so"
        case .invalidSize: "no element can have such a size"
        case .unknownSize: "its size is left open, which it must not be"
        case .overrun: "it ends behind what it stands in"
        case .truncated: "the file ends inside of it"
        case .tooLarge: "it is larger than any such element"
        case .tooMany: "there are more of it than any film has"
        case .badValue: "its value is not allowed"
        case .missing: "it is missing"
        case .wrongChecksum: "its checksum does not agree"
        case .wrongPosition: "the index leads to something else"
        case .badLacing: "the sizes of its frames do not agree with its own"
        case .unsupportedEncoding: "it is encrypted, or compressed in a way that is not known here"
        case .inflateFailed: "it cannot be decompressed"
        case .noCluster: "nothing was found to go on with"
        case .nextDocument: "another film follows in the same file"
        }
    }
}
