internal import Bytes

/// One section of the program association table (ISO/IEC 13818-1 §2.4.4.3), which stands on PID 0.
struct ProgramAssociation: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        let program: UInt16
        let mapPID: UInt16
    }

    let version: UInt8
    let isCurrent: Bool
    let section: UInt8
    let lastSection: UInt8
    /// Without the network's own entry (program 0).
    let entries: [Entry]

    static let tableID: UInt8 = 0x00

    /// From a section whose CRC was checked; `nil` for other tables and for lengths that do not fit.
    init?(_ bytes: [UInt8]) {
        guard bytes.first == Self.tableID, bytes.count >= 12, (bytes.count - 12) % 4 == 0 else { return nil }
        var reader = BigEndianReader(bytes, range: 5..<bytes.count - 4)
        let flags = reader.u8()
        version = flags >> 1 & 0x1F
        isCurrent = flags & 1 == 1
        section = reader.u8()
        lastSection = reader.u8()
        var entries: [Entry] = []
        while reader.remaining >= 4 {
            let program = reader.u16(), pid = reader.u16() & 0x1FFF
            if program != 0 { entries.append(Entry(program: program, mapPID: pid)) }
        }
        self.entries = entries
    }
}
