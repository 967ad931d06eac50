/// Finds the packets in a run of bytes: 188 bytes each, alone, behind four bytes of time (192, Blu-ray) or before 16 bytes of
/// error correction (204, DVB). What it tells does not depend on how the bytes were cut.
///
/// Packets are believed where `confirmations` sync bytes stand one stride apart. A packet whose successor has no sync byte is
/// left out if another run of packets begins inside of it, which is where bytes are missing; garbage behind it does not harm it.
struct PacketReader: Sendable {
    enum Step: Hashable, Sendable {
        /// A whole packet, its sync byte at this index.
        case packet(Int)
        /// Bytes that belong to no packet.
        case garbage(Range<Int>)
        case needMore
    }

    /// Bytes from one sync byte to the next: 188, 192 or 204; `nil` as long as none was found.
    private(set) var stride: Int?
    /// Index of the first byte that is still wanted.
    private(set) var cursor = 0
    private var isLocked = false
    /// Where what belongs to no packet begins, while looking for a packet.
    private var lostFrom = 0

    static let strides = [188, 192, 204]
    static let confirmations = 5

    /// Bytes before `cursor` may be thrown away, if this is called.
    mutating func dropped(_ count: Int) {
        cursor -= count
        lostFrom -= count
    }

    /// - Parameter isFinal: nothing comes behind `bytes`.
    mutating func next(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) -> Step {
        if !isLocked {
            guard let found = search(bytes, isFinal: isFinal) else { return .needMore }
            // The time stamp in front of a packet of 192 bytes is no garbage.
            let start = stride == 192 ? found - 4 : found
            let lost = lostFrom
            lostFrom = found
            cursor = found
            isLocked = true
            if start > lost { return .garbage(lost..<start) }
        }
        guard let stride else { return .needMore }
        guard bytes.count - cursor >= PacketHeader.size else {
            if isFinal { giveUp(bytes.count) }
            return .needMore
        }
        let start = cursor, following = start + stride
        if following >= bytes.count {
            guard isFinal else { return .needMore }
        } else if bytes[following] != PacketHeader.sync {
            for index in start + 1..<start + PacketHeader.size where bytes[index] == PacketHeader.sync {
                switch confirm(index, bytes, isFinal: isFinal) {
                case .undecided: return .needMore
                case .no: continue
                case .yes(let found):
                    self.stride = found
                    cursor = index
                    return .garbage(start..<index)
                }
            }
            isLocked = false
            cursor = start + PacketHeader.size
            lostFrom = cursor
            return .packet(start)
        }
        cursor = following
        lostFrom = following
        return .packet(start)
    }

    /// What was not told when the end came: the rest of a packet or garbage.
    mutating func rest(_ count: Int) -> Range<Int>? {
        let start = min(lostFrom, count)
        lostFrom = count
        // Error correction behind the last packet is no garbage, nor is the time stamp in front of one.
        return count - start > 16 ? start..<count : nil
    }

    private mutating func giveUp(_ count: Int) {
        lostFrom = min(cursor, count)
        cursor = count
        isLocked = false
    }

    private mutating func search(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) -> Int? {
        while cursor < bytes.count {
            if bytes[cursor] == PacketHeader.sync {
                switch confirm(cursor, bytes, isFinal: isFinal) {
                case .undecided: return nil
                case .yes(let found):
                    stride = found
                    return cursor
                case .no: break
                }
            }
            cursor += 1
        }
        return nil
    }

    private enum Verdict { case yes(Int), no, undecided }

    private func confirm(_ start: Int, _ bytes: UnsafeRawBufferPointer, isFinal: Bool) -> Verdict {
        var isOpen = false
        if let stride {
            switch confirm(start, stride, bytes, isFinal: isFinal) {
            case .no: break
            case let verdict: return verdict
            }
        }
        for stride in Self.strides where stride != self.stride {
            switch confirm(start, stride, bytes, isFinal: isFinal) {
            case .no: break
            case .yes(let stride) where !isOpen: return .yes(stride)
            default: isOpen = true
            }
        }
        return isOpen ? .undecided : .no
    }

    private func confirm(_ start: Int, _ stride: Int, _ bytes: UnsafeRawBufferPointer, isFinal: Bool) -> Verdict {
        for step in 1..<Self.confirmations {
            let index = start + step * stride
            if index >= bytes.count {
                guard isFinal else { return .undecided }
                let left = bytes.count - start
                return step >= 2 || left == PacketHeader.size || left == stride && stride == 204 ? .yes(stride) : .no
            }
            if bytes[index] != PacketHeader.sync { return .no }
        }
        return .yes(stride)
    }
}
