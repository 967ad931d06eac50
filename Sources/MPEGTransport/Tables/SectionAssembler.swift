/// Puts the sections of one PID together (ISO/IEC 13818-1 §2.4.4): they may begin anywhere in a packet, follow each other
/// and go over several packets.
struct SectionAssembler: Sendable {
    private var bytes: [UInt8] = []
    private var isRunning = false

    /// section_length has 12 bits.
    static let maximum = 4098

    enum Found: Hashable, Sendable {
        /// A section whose CRC is right.
        case section([UInt8])
        case bad
    }

    /// Packets were lost: what is unfinished cannot be finished.
    mutating func interrupt() {
        bytes.removeAll(keepingCapacity: true)
        isRunning = false
    }

    /// - Parameter startsUnit: a section begins in this payload, behind the pointer in its first byte.
    mutating func append(_ payload: UnsafeRawBufferPointer, startsUnit: Bool) -> [Found] {
        var found: [Found] = []
        guard startsUnit else {
            if isRunning {
                bytes.append(contentsOf: payload)
                take(&found)
            }
            return found
        }
        guard let pointer = payload.first, Int(pointer) < payload.count - 1 else {
            interrupt()
            return [.bad]
        }
        let start = 1 + Int(pointer)
        if isRunning {
            bytes.append(contentsOf: payload[1..<start])
            take(&found)
            // Another section must not begin before this one ends.
            if isRunning, !bytes.isEmpty { found.append(.bad) }
        }
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: payload[start...])
        isRunning = true
        take(&found)
        return found
    }

    private mutating func take(_ found: inout [Found]) {
        while isRunning {
            // table_id FF: stuffing up to the packet's end
            if bytes.first == 0xFF { return interrupt() }
            guard bytes.count >= 3 else { return }
            let size = 3 + (Int(bytes[1] & 0x0F) << 8 | Int(bytes[2]))
            guard bytes.count >= size else { return }
            let section = Array(bytes[..<size])
            bytes.removeFirst(size)
            // section_syntax_indicator: only with it is there a CRC. Tables without it are not ours.
            guard section[1] & 0x80 != 0 else { continue }
            found.append(size >= 12 && SectionChecksum.of(section) == 0 ? .section(section) : .bad)
        }
    }
}
