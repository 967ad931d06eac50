internal import Codecs

/// How a frame of the source becomes a sample. Codec data are never changed, only what the container puts around them.
package enum SampleFraming: Hashable, Sendable {
    case asIs
    /// NAL units behind lengths of so many bytes, as they are; a frame with start codes in their place is converted, with a
    /// length of the same size.
    case lengths(Int)
    /// NAL units behind start codes become units behind lengths of four bytes.
    case startCodes

    /// Whether `sample(_:)` may answer anything but the frame itself.
    ///
    /// - Parameter head: the first four bytes of the frame, fewer when it is shorter.
    package func mayChange(_ head: some Collection<UInt8>) -> Bool {
        switch self {
        case .asIs: false
        case .startCodes: true
        case .lengths(let size):
            // 00 00 01 and 00 00 00 01. With lengths of one or two bytes those begin with empty units, which no program writes.
            head.starts(with: [0, 0, 1]) || (size == 4 ? head.elementsEqual([0, 0, 0, 1]) : head.starts(with: [0, 0, 0, 1]))
        }
    }

    /// The sample of a frame; `nil` when it holds no unit at all.
    package func sample(_ frame: [UInt8]) -> [UInt8]? {
        switch self {
        case .asIs: return frame
        case .lengths(let size):
            guard LengthPrefixed.isReallyAnnexB(frame, lengthSize: size) else { return frame }
            let units = AnnexB.units(in: frame)
            return size == 4 ? AnnexB.lengthPrefixed(frame) : Self.behindLengths(units, of: frame, size)
        case .startCodes:
            let sample = AnnexB.lengthPrefixed(frame)
            return sample.isEmpty ? nil : sample
        }
    }

    private static func behindLengths(_ units: [Range<Int>], of bytes: [UInt8], _ size: Int) -> [UInt8]? {
        var result: [UInt8] = []
        for unit in units {
            guard unit.count < 1 << (8 * size) else { return nil }
            for shift in (0..<size).reversed() { result.append(UInt8(truncatingIfNeeded: unit.count >> (8 * shift))) }
            result += bytes[unit]
        }
        return result
    }
}
