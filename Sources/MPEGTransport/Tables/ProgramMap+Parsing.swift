internal import Bytes

extension ProgramMap {
    /// From a section whose CRC was checked; `nil` for other tables and for lengths that do not fit. Of streams with the same
    /// PID the first counts.
    init?(_ bytes: [UInt8], limit: Int) {
        guard bytes.first == Self.tableID, bytes.count >= 16 else { return nil }
        var reader = BigEndianReader(bytes, range: 3..<bytes.count - 4)
        program = reader.u16()
        let flags = reader.u8()
        version = flags >> 1 & 0x1F
        isCurrent = flags & 1 == 1
        reader.skip(2)
        clockPID = reader.u16() & 0x1FFF
        let whole = Descriptors(reader.bytes(Int(reader.u16() & 0x0FFF)))
        registration = whole.registration
        var streams: [ElementaryStream] = []
        var known: Set<UInt16> = []
        var hasTooMany = false
        while reader.remaining >= 5, !reader.overran {
            let type = reader.u8(), pid = reader.u16() & 0x1FFF
            let own = Descriptors(reader.bytes(Int(reader.u16() & 0x0FFF)))
            guard !reader.overran else { break }
            guard known.insert(pid).inserted else { continue }
            guard streams.count < limit else {
                hasTooMany = true
                break
            }
            streams.append(
                ElementaryStream(
                    pid: pid, streamType: type, codec: TransportCodec(streamType: type, own, program: whole.registration),
                    language: own.language, audioType: own.audioType, registration: own.registration, opusChannels: own.opusChannels))
        }
        guard !reader.overran else { return nil }
        self.streams = streams
        self.hasTooMany = hasTooMany
    }
}
