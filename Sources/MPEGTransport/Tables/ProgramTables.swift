/// What the association and map tables say so far. They may come late, change and come in several sections; a new version
/// takes the place of the old one as soon as it is current.
package struct ProgramTables: Sendable {
    /// Programs in the order of the association table.
    private(set) var entries: [ProgramAssociation.Entry] = []
    private var sections: [UInt8: [ProgramAssociation.Entry]] = [:]
    private var version: UInt8?
    private var maps: [UInt16: ProgramMap] = [:]
    private var assemblers: [UInt16: SectionAssembler] = [:]
    /// The last section of each kind: tables are repeated many times a second.
    private var seen: [UInt16: [UInt8]] = [:]
    private var lastAssociation: [UInt8] = []
    private var isAssociationWhole = false
    private let limits: TransportLimits

    static let associationPID: UInt16 = 0

    init(limits: TransportLimits) {
        self.limits = limits
        assemblers[Self.associationPID] = SectionAssembler()
    }

    /// The programs whose maps have come, in the order of the association table.
    package var programs: [ProgramMap] { entries.compactMap { maps[$0.program] } }

    /// Whether the association table and all maps it names have come.
    var isComplete: Bool { isAssociationWhole && !entries.isEmpty && entries.allSatisfy { maps[$0.program] != nil } }

    var hasAssociation: Bool { !entries.isEmpty }

    /// PIDs whose payload are these tables.
    var pids: [UInt16] { [Self.associationPID] + mapPIDs }
    private var mapPIDs: [UInt16] {
        var result: [UInt16] = []
        for entry in entries where entry.mapPID != 0 && entry.mapPID != 0x1FFF && !result.contains(entry.mapPID) { result.append(entry.mapPID) }
        return result
    }

    /// The first program with video, else the first with sound that is carried. `preferred` is kept as long as it is listed.
    package func choice(preferred: UInt16? = nil) -> ProgramMap? {
        if let preferred, entries.contains(where: { $0.program == preferred }) { return maps[preferred] }
        let programs = programs
        return programs.first { $0.hasVideo } ?? programs.first { $0.hasCarried }
    }

    mutating func interrupt(_ pid: UInt16) { assemblers[pid]?.interrupt() }

    /// Takes a packet of one of `pids`; answers whether something changed.
    mutating func append(
        _ payload: UnsafeRawBufferPointer, pid: UInt16, startsUnit: Bool, offset: UInt64, _ log: inout TransportDamageLog
    ) -> Bool {
        guard let found = assemblers[pid]?.append(payload, startsUnit: startsUnit), !found.isEmpty else { return false }
        var changed = false
        for item in found {
            switch item {
            case .bad: log.note(.badSection, offset, pid)
            case .section(let bytes):
                if pid == Self.associationPID {
                    if takeAssociation(bytes, offset, &log) { changed = true }
                } else if takeMap(bytes, pid, offset, &log) {
                    changed = true
                }
            }
        }
        return changed
    }

    private mutating func takeAssociation(_ bytes: [UInt8], _ offset: UInt64, _ log: inout TransportDamageLog) -> Bool {
        guard bytes != lastAssociation else { return false }
        guard let table = ProgramAssociation(bytes) else {
            if bytes.first == ProgramAssociation.tableID { log.note(.badSection, offset, Self.associationPID) }
            return false
        }
        guard table.isCurrent else { return false }
        // The same version with other entries is a new table all the same: joined files begin anew.
        if table.version != version || sections[table.section].map({ $0 != table.entries }) ?? false { sections = [:] }
        version = table.version
        sections[table.section] = table.entries
        lastAssociation = bytes
        isAssociationWhole = (0...table.lastSection).allSatisfy { sections[$0] != nil }
        guard isAssociationWhole else { return false }
        var all = sections.sorted { $0.key < $1.key }.flatMap(\.value)
        if all.count > limits.programs {
            log.note(.tooMany, offset, Self.associationPID)
            all.removeLast(all.count - limits.programs)
        }
        guard all != entries else { return false }
        for old in entries where !all.contains(old) {
            maps[old.program] = nil
            seen[old.program] = nil
        }
        entries = all
        let pids = mapPIDs
        for pid in Array(assemblers.keys) where pid != Self.associationPID && !pids.contains(pid) { assemblers[pid] = nil }
        for pid in pids where assemblers[pid] == nil { assemblers[pid] = SectionAssembler() }
        return true
    }

    private mutating func takeMap(_ bytes: [UInt8], _ pid: UInt16, _ offset: UInt64, _ log: inout TransportDamageLog) -> Bool {
        guard bytes.first == ProgramMap.tableID, bytes.count >= 16 else { return false }
        let program = UInt16(bytes[3]) << 8 | UInt16(bytes[4])
        guard seen[program] != bytes, entries.contains(where: { $0.program == program && $0.mapPID == pid }) else { return false }
        guard let map = ProgramMap(bytes, limit: limits.streams) else {
            log.note(.badSection, offset, pid)
            return false
        }
        guard map.isCurrent else { return false }
        if map.hasTooMany { log.note(.tooMany, offset, pid) }
        seen[program] = bytes
        let changed = maps[program] != map
        maps[program] = map
        return changed
    }
}
