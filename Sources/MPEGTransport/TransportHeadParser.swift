/// Reads the start of a file until it knows the program and how its tracks begin. It reads twice: for the tables, which may
/// come late, then from the start again for the first frames.
package struct TransportHeadParser: Sendable {
    package enum Step: Sendable {
        /// Feed it the bytes from `position` on, which may have gone back to the start.
        case more
        case done(TransportHead)
        case failed(TransportError)
    }

    /// Where the next bytes that are wanted begin.
    package private(set) var position: UInt64 = 0
    private var pending: [UInt8] = []
    private var reader = PacketReader()
    private var tables: ProgramTables
    private var firstTable: UInt64?
    private var log: TransportDamageLog
    private var walker: TransportWalker?
    /// The tracks of the chosen map, before any frame of them.
    private var starts: [TransportTrack] = []
    private var choice: ProgramMap?
    private let limits: TransportLimits
    private var ended: Step?

    package init(limits: TransportLimits = TransportLimits()) {
        self.limits = limits
        tables = ProgramTables(limits: limits)
        log = TransportDamageLog(limit: limits.damages)
    }

    /// Takes bytes that begin at `position`.
    package mutating func feed(_ bytes: [UInt8]) -> Step { bytes.withUnsafeBytes { take($0, isFinal: false) } }

    /// The file ends at `position`.
    package mutating func finish() -> Step { take(UnsafeRawBufferPointer(start: nil, count: 0), isFinal: true) }

    private mutating func take(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) -> Step {
        if let ended { return ended }
        let step = walker == nil ? findProgram(bytes, isFinal: isFinal) : findFrames(bytes, isFinal: isFinal)
        if case .more = step { return step }
        ended = step
        return step
    }

    private mutating func findProgram(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) -> Step {
        position &+= UInt64(bytes.count)
        var buffer: [UInt8] = []
        swap(&buffer, &pending)
        buffer.append(contentsOf: bytes)
        let start = position &- UInt64(buffer.count)
        var choice: ProgramMap?
        var isOver = false
        buffer.withUnsafeBytes { bytes in
            while choice == nil {
                guard case let step = reader.next(bytes, isFinal: isFinal), step != .needMore else { break }
                guard case .packet(let index) = step else { continue }
                let offset = start &+ UInt64(index)
                takePacket(UnsafeRawBufferPointer(rebasing: bytes[index..<index + PacketHeader.size]), offset)
                if tables.hasAssociation, firstTable == nil { firstTable = offset }
                if offset >= limits.tableBytes || firstTable.map({ offset >= $0 &+ limits.mapBytes }) ?? false { isOver = true }
                if tables.isComplete || isOver { choice = tables.choice() }
                if isOver { break }
            }
        }
        let used = min(reader.cursor, buffer.count)
        buffer.removeFirst(used)
        reader.dropped(used)
        swap(&buffer, &pending)
        if isFinal || start &+ UInt64(used) >= limits.tableBytes { isOver = true }
        if reader.stride == nil, position >= limits.garbageBytes { isOver = true }
        if choice == nil, isOver { choice = tables.choice() }
        if let choice {
            let walker = TransportWalker(
                tables: tables, map: choice, tracks: [], reference: nil, at: 0, skipsToKeyframe: false, limits: limits)
            starts = walker.tracks
            self.choice = choice
            self.walker = walker
            pending = []
            position = 0
            return .more
        }
        // All maps came and none has a stream that is carried: a later version may, but not within reason.
        guard isOver || tables.isComplete else { return .more }
        guard reader.stride != nil else { return .failed(TransportError(.notTransportStream, offset: position)) }
        let kinds = Set(tables.programs.flatMap(\.streams).map(\.codec.description)).sorted()
        return .failed(TransportError(.noProgram, offset: position, detail: kinds.joined(separator: ", ")))
    }

    private mutating func takePacket(_ packet: UnsafeRawBufferPointer, _ offset: UInt64) {
        guard let header = PacketHeader(packet), !header.hasError, !header.isScrambled, let range = header.payload else { return }
        guard tables.pids.contains(header.pid) else { return }
        _ = tables.append(
            UnsafeRawBufferPointer(rebasing: packet[range]), pid: header.pid, startsUnit: header.startsUnit, offset: offset, &log)
    }

    private mutating func findFrames(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) -> Step {
        guard var walker, let choice else { return .more }
        self.walker = nil
        // In small pieces, so that the head does not depend on how the bytes were cut.
        var isReady = false
        var rest = bytes[...]
        while !isReady, !rest.isEmpty, walker.position < limits.headBytes {
            let count = Int(min(UInt64(rest.count), 8192 - walker.position % 8192))
            _ = walker.feed(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = rest.dropFirst(count)
            if walker.position % 8192 == 0 { isReady = starts.indices.allSatisfy { walker.tracks[$0].configuration != nil } }
        }
        let isOver = isReady || isFinal || walker.position >= limits.headBytes
        if isFinal { _ = walker.finish() }
        position = walker.position
        guard isOver else {
            self.walker = walker
            return .more
        }
        var carried = starts
        for index in carried.indices {
            carried[index] = walker.tracks[index]
            // A later map may have moved it already; the codec is what its frames say.
            carried[index].stream = starts[index].stream
            carried[index].stream.codec = walker.tracks[index].codec
            carried[index].isPresent = true
        }
        if !carried.contains(where: { $0.units > 0 }), carried.contains(where: { $0.scrambledPackets > 0 }) {
            return .failed(TransportError(.scrambled, offset: position))
        }
        guard carried.contains(where: { $0.units > 0 }) else {
            return .failed(TransportError(.noProgram, offset: position, detail: "no frame of its streams"))
        }
        return .done(
            TransportHead(
                stride: walker.stride ?? PacketHeader.size, program: choice, tracks: carried, firstTime: walker.firstTime,
                damages: walker.damages, tables: tables, latm: walker.latm))
    }
}
