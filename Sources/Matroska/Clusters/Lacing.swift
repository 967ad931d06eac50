import Bytes

/// Several frames in one block (RFC 9559 §10.3), told by bits 1 and 2 of its flags.
enum Lacing: UInt8 {
    case none, xiph, fixed, ebml

    init(flags: UInt8) {
        switch flags >> 1 & 3 {
        case 1: self = .xiph
        case 2: self = .fixed
        case 3: self = .ebml
        default: self = .none
        }
    }

    enum Parsed {
        case frames([FileRange])
        /// The sizes go on behind the bytes.
        case short
        case bad(String)
    }

    /// Reads the lace's head: the number of frames less one, and the sizes of all but the last.
    ///
    /// - Parameters:
    ///   - bytes: what is known of the payload, from the byte behind the flags on.
    ///   - payload: the place of all of it, `bytes` and frames.
    func parse(_ bytes: ArraySlice<UInt8>, payload: FileRange) -> Parsed {
        var rest = bytes
        guard let first = rest.popFirst() else { return .short }
        let count = Int(first) + 1
        var sizes: [UInt64] = []
        sizes.reserveCapacity(count)
        switch self {
        case .none: return .frames([payload])
        case .fixed:
            let room = payload.count - 1
            guard room % UInt64(count) == 0 else { return .bad("\(room) bytes for \(count) frames of one size") }
            sizes = Array(repeating: room / UInt64(count), count: count - 1)
        case .xiph:
            while sizes.count < count - 1 {
                var size: UInt64 = 0
                while true {
                    guard let byte = rest.popFirst() else { return .short }
                    size += UInt64(byte)
                    if byte < 255 { break }
                }
                sizes.append(size)
            }
        case .ebml:
            while sizes.count < count - 1 {
                let number: VariableInteger
                switch VariableInteger.parse(rest) {
                case .short: return .short
                case .invalid: return .bad("a size that is no integer")
                case .value(let value): number = value
                }
                rest = rest.dropFirst(number.length)
                guard let previous = sizes.last else {
                    sizes.append(number.value)
                    continue
                }
                // Both are below 2^56.
                let next = Int64(previous) + number.signed
                guard next >= 0, next < Int64(1) << 56 else { return .bad("a frame of \(next) bytes") }
                sizes.append(UInt64(next))
            }
        }
        return frames(sizes, start: payload.offset + UInt64(rest.startIndex - bytes.startIndex), end: payload.end)
    }

    /// Lays the frames behind each other; the last one has what is left.
    private func frames(_ sizes: [UInt64], start: UInt64, end: UInt64) -> Parsed {
        var position = start
        var frames: [FileRange] = []
        frames.reserveCapacity(sizes.count + 1)
        for size in sizes {
            guard size <= end - position else { return .bad("frame \(frames.count) has \(size) bytes, \(end - position) are left") }
            frames.append(FileRange(offset: position, end: position + size))
            position += size
        }
        frames.append(FileRange(offset: position, end: end))
        return .frames(frames)
    }
}
