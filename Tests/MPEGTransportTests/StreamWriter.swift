@testable import MPEGTransport

/// Writes transport streams packet by packet: what ffmpeg does not make.
struct StreamWriter {
    var bytes: [UInt8] = []
    var stride = 188
    private var counters: [UInt16: UInt8] = [:]

    init(stride: Int = 188) { self.stride = stride }

    /// One packet: header, adaptation stuffing, payload of at most 184 bytes.
    static func packet(
        pid: UInt16, counter: UInt8, start: Bool = false, payload: [UInt8]?, scrambling: UInt8 = 0, discontinuity: Bool = false, pcr: Bool = false,
        error: Bool = false
    ) -> [UInt8] {
        var head: [UInt8] = [0x47, (error ? 0x80 : 0) | (start ? 0x40 : 0) | UInt8(pid >> 8), UInt8(pid & 0xFF)]
        var field: [UInt8] = []
        let count = payload?.count ?? 0
        let needsFlags = discontinuity || pcr
        if count < 184 || payload == nil || needsFlags {
            let length = 183 - count
            field = [UInt8(length)]
            if length > 0 {
                field.append((discontinuity ? 0x80 : 0) | (pcr ? 0x10 : 0))
                if pcr { field += [0, 0, 0, 0, 0x7E, 0] }
                field += [UInt8](repeating: 0xFF, count: length + 1 - field.count)
            }
        }
        head.append(scrambling << 6 | (field.isEmpty ? 0 : 0x20) | (payload == nil ? 0 : 0x10) | counter)
        return head + field + (payload ?? [])
    }

    mutating func put(packet: [UInt8]) {
        if stride == 192 { bytes += [0, 1, 2, 3] }
        bytes += packet
        if stride == 204 { bytes += [UInt8](repeating: 0xEE, count: 16) }
    }

    private mutating func next(_ pid: UInt16) -> UInt8 {
        defer { counters[pid] = ((counters[pid] ?? 0) + 1) & 0x0F }
        return counters[pid] ?? 0
    }

    /// As if packets of this PID had been lost.
    mutating func skipCounter(_ pid: UInt16, _ count: UInt8 = 3) { counters[pid] = ((counters[pid] ?? 0) + count) & 0x0F }

    mutating func put(
        pid: UInt16, start: Bool, payload: [UInt8], scrambling: UInt8 = 0, discontinuity: Bool = false, pcr: Bool = false, twice: Bool = false
    ) {
        let packet = Self.packet(
            pid: pid, counter: next(pid), start: start, payload: payload, scrambling: scrambling, discontinuity: discontinuity, pcr: pcr)
        put(packet: packet)
        if twice { put(packet: packet) }
    }

    // MARK: Sections

    static func section(
        _ table: UInt8, _ extension: UInt16, version: UInt8, _ body: [UInt8], number: UInt8 = 0, last: UInt8 = 0, current: Bool = true
    ) -> [UInt8] {
        let length = body.count + 9
        var bytes: [UInt8] = [
            table, 0xB0 | UInt8(length >> 8), UInt8(length & 0xFF), UInt8(`extension` >> 8), UInt8(`extension` & 0xFF),
            0xC0 | version << 1 | (current ? 1 : 0), number, last,
        ]
        bytes += body
        let crc = SectionChecksum.of(bytes)
        return bytes + [UInt8(crc >> 24), UInt8(crc >> 16 & 0xFF), UInt8(crc >> 8 & 0xFF), UInt8(crc & 0xFF)]
    }

    static func association(_ programs: [(UInt16, UInt16)], version: UInt8 = 0) -> [UInt8] {
        var body: [UInt8] = []
        for (program, pid) in programs { body += [UInt8(program >> 8), UInt8(program & 0xFF), 0xE0 | UInt8(pid >> 8), UInt8(pid & 0xFF)] }
        return section(0, 1, version: version, body)
    }

    struct Stream {
        var pid: UInt16
        var type: UInt8
        var descriptors: [UInt8] = []
    }

    static func map(program: UInt16 = 1, clock: UInt16 = 0x100, _ streams: [Stream], version: UInt8 = 0, descriptors: [UInt8] = []) -> [UInt8] {
        var body: [UInt8] = [0xE0 | UInt8(clock >> 8), UInt8(clock & 0xFF), 0xF0, UInt8(descriptors.count)] + descriptors
        for stream in streams {
            body += [stream.type, 0xE0 | UInt8(stream.pid >> 8), UInt8(stream.pid & 0xFF), 0xF0, UInt8(stream.descriptors.count)]
            body += stream.descriptors
        }
        return section(2, program, version: version, body)
    }

    mutating func put(section: [UInt8], pid: UInt16) {
        var rest = [0] + section
        var isFirst = true
        while !rest.isEmpty {
            var part = Array(rest.prefix(184))
            rest.removeFirst(part.count)
            part += [UInt8](repeating: 0xFF, count: 184 - part.count)
            put(pid: pid, start: isFirst, payload: part)
            isFirst = false
        }
    }

    mutating func putTables(_ streams: [Stream], version: UInt8 = 0) {
        put(section: Self.association([(1, 0x1000)], version: version), pid: 0)
        put(section: Self.map(streams, version: version), pid: 0x1000)
    }

    // MARK: PES

    static func timestamp(_ value: UInt64, mark: UInt8) -> [UInt8] {
        var bytes = [mark << 4 | UInt8(value >> 30 & 7) << 1 | 1]
        bytes.append(UInt8(value >> 22 & 0xFF))
        bytes.append(UInt8(value >> 15 & 0x7F) << 1 | 1)
        bytes.append(UInt8(value >> 7 & 0xFF))
        bytes.append(UInt8(value & 0x7F) << 1 | 1)
        return bytes
    }

    static func pes(_ streamID: UInt8, pts: UInt64?, dts: UInt64? = nil, _ data: [UInt8], stated: Bool = true) -> [UInt8] {
        var head: [UInt8] = []
        if let pts { head += timestamp(pts, mark: dts == nil ? 2 : 3) }
        if let dts { head += timestamp(dts, mark: 1) }
        let flags: UInt8 = pts == nil ? 0 : dts == nil ? 0x80 : 0xC0
        let length = stated ? 3 + head.count + data.count : 0
        return [0, 0, 1, streamID, UInt8(length >> 8), UInt8(length & 0xFF), 0x80, flags, UInt8(head.count)] + head + data
    }

    mutating func put(pes: [UInt8], pid: UInt16, scrambling: UInt8 = 0, twice: Bool = false, discontinuity: Bool = false) {
        var rest = pes[...]
        var isFirst = true
        while !rest.isEmpty {
            let part = Array(rest.prefix(isFirst && discontinuity ? 182 : 184))
            rest = rest.dropFirst(part.count)
            put(pid: pid, start: isFirst, payload: part, scrambling: scrambling, discontinuity: isFirst && discontinuity, twice: twice)
            isFirst = false
        }
    }
}
