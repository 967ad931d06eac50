internal import Codecs

/// Walks the packets of one program and tells its pictures and frames of sound, with continuous times.
///
/// A whole file, in order:
///
///     var parser = TransportHeadParser()            // feed it from `parser.position` on until it answers `.done(head)`
///     var walker = TransportWalker(head)            // at the file's start
///     while let bytes = read(at: walker.position) {
///         for event in walker.feed(bytes) { … }     // .track, .configuration, .unit, .jump
///     }
///     for event in walker.finish() { … }            // the last units
///
/// From any place: `TransportWalker(head, at: offset)`. The phase of the packets is found anew, each stream begins with its next
/// PES, pictures with the first whole one; with `skipsToKeyframe` nothing of the video is told before its first keyframe. To get
/// exactly the units of a window, take those whose `pesOffset` lies in it, and go on feeding behind its end until each track
/// told a unit of a later `pesOffset`. Times are those of a walk from the start unless the time jumped in between; then shift
/// them.
///
/// What is told is a function of the file, the start and the head alone, however the bytes are cut. Memory is bounded by
/// `TransportLimits` and the bytes of one `feed`.
package struct TransportWalker: Sendable {
    /// Where the bytes that are fed next begin.
    package private(set) var position: UInt64
    private var pending: [UInt8] = []
    private var reader = PacketReader()
    private var tables: ProgramTables
    private var map: ProgramMap
    private var clock: TransportClock
    private var output: TransportOutput
    private var walks: [ElementaryWalk] = []
    /// For each PID: -1 nothing, 0 tables, else the number of a walk + 1.
    private var slots: [Int16] = []
    private var skipping: Set<Int> = []
    private let skipsToKeyframe: Bool
    private let limits: TransportLimits
    private var isFinished = false

    /// - Parameters:
    ///   - offset: any byte of the file.
    ///   - skipsToKeyframe: leaves out pictures before the first keyframe of each video track.
    package init(_ head: TransportHead, at offset: UInt64 = 0, skipsToKeyframe: Bool = false, limits: TransportLimits = TransportLimits()) {
        self.init(
            tables: head.tables, map: head.program, tracks: head.tracks, latm: head.latm, reference: offset == 0 ? nil : head.firstTime, at: offset,
            skipsToKeyframe: skipsToKeyframe, limits: limits)
    }

    init(
        tables: ProgramTables, map: ProgramMap, tracks: [TransportTrack], latm: [Int: LATMStream] = [:], reference: Int64?, at offset: UInt64,
        skipsToKeyframe: Bool,
        limits: TransportLimits
    ) {
        position = offset
        self.tables = tables
        self.map = map
        self.limits = limits
        self.skipsToKeyframe = skipsToKeyframe
        clock = TransportClock(reference: reference)
        output = TransportOutput(tracks: tracks, latm: latm, limits: limits)
        if skipsToKeyframe { skipping = Set(tracks.filter { $0.stream.isVideo }.map(\.number)) }
        apply(map, at: offset)
        // Tracks that the head knows are not news.
        if !tracks.isEmpty { _ = output.takeEvents() }
    }

    /// All tracks so far; a track's number is its index.
    package var tracks: [TransportTrack] { output.tracks }
    package var damages: TransportDamageLog { output.log }
    /// The map in force.
    package var program: ProgramMap { map }
    /// Bytes from one packet to the next, once packets were found.
    package var stride: Int? { reader.stride }
    var latm: [Int: LATMStream] { output.latm }
    /// The first DTS that was met.
    package var firstTime: Int64? { output.firstTime }

    package mutating func feed(_ bytes: [UInt8]) -> [TransportEvent] { bytes.withUnsafeBytes { feed($0) } }

    /// Takes the bytes from `position` on.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [TransportEvent] {
        guard !isFinished else { return [] }
        position &+= UInt64(bytes.count)
        pending.append(contentsOf: bytes)
        work(isFinal: false)
        return told()
    }

    /// The file ends at `position`: tells what is left. Nothing is told afterwards.
    package mutating func finish() -> [TransportEvent] {
        guard !isFinished else { return [] }
        isFinished = true
        work(isFinal: true)
        for index in walks.indices { walks[index].finish(position, &output) }
        return told()
    }

    private mutating func told() -> [TransportEvent] {
        let events = output.takeEvents()
        guard !skipping.isEmpty else { return events }
        return events.filter { event in
            guard case .unit(let unit) = event, skipping.contains(unit.track) else { return true }
            guard unit.isKeyframe else { return false }
            skipping.remove(unit.track)
            return true
        }
    }

    private mutating func work(isFinal: Bool) {
        var bytes: [UInt8] = []
        swap(&bytes, &pending)
        let start = position &- UInt64(bytes.count)
        bytes.withUnsafeBytes { buffer in
            loop: while true {
                switch reader.next(buffer, isFinal: isFinal) {
                case .packet(let index):
                    take(UnsafeRawBufferPointer(rebasing: buffer[index..<index + PacketHeader.size]), start &+ UInt64(index))
                case .garbage(let range): output.log.note(.garbage, start &+ UInt64(truncatingIfNeeded: range.lowerBound))
                case .needMore: break loop
                }
            }
            if isFinal, let rest = reader.rest(buffer.count) {
                output.log.note(.truncatedPacket, start &+ UInt64(truncatingIfNeeded: rest.lowerBound))
            }
        }
        let used = min(reader.cursor, bytes.count)
        bytes.removeFirst(used)
        reader.dropped(used)
        swap(&bytes, &pending)
    }

    private mutating func take(_ packet: UnsafeRawBufferPointer, _ offset: UInt64) {
        let pid = Int(packet[1] & 0x1F) << 8 | Int(packet[2])
        let slot = slots[pid]
        if slot < 0, pid != Int(map.clockPID) { return }
        guard let header = PacketHeader(packet) else { return output.log.note(.badPacket, offset, UInt16(pid)) }
        guard !header.hasError else { return output.log.note(.transportError, offset, UInt16(pid)) }
        if header.isDiscontinuous, pid == Int(map.clockPID) { clock.expectJump() }
        if slot > 0 {
            walks[Int(slot) - 1].take(header, packet, offset: offset, &clock, &output)
        } else if slot == 0, let range = header.payload, !header.isScrambled {
            let payload = UnsafeRawBufferPointer(rebasing: packet[range])
            if tables.append(payload, pid: UInt16(pid), startsUnit: header.startsUnit, offset: offset, &output.log) { choose(offset) }
        }
    }

    // MARK: Maps

    private mutating func choose(_ offset: UInt64) {
        if let chosen = tables.choice(preferred: map.program) {
            if chosen != map { return apply(chosen, at: offset) }
        }
        assignSlots()
    }

    private mutating func apply(_ new: ProgramMap, at offset: UInt64) {
        map = new
        var kept: [ElementaryWalk] = []
        var waiting: [ElementaryStream] = []
        var old = walks
        for stream in new.streams where stream.isCarried {
            if let index = old.firstIndex(where: { $0.pid == stream.pid && $0.described == stream.codec }) {
                output.describe(old[index].track, stream)
                kept.append(old.remove(at: index))
            } else {
                waiting.append(stream)
            }
        }
        for index in old.indices {
            old[index].finish(offset, &output)
            output.tracks[old[index].track].isPresent = false
        }
        for stream in waiting {
            guard let track = track(for: stream, taken: Set(kept.map(\.track)), offset) else { continue }
            kept.append(
                ElementaryWalk(track: track, stream: stream, configuration: output.configuration(of: track), latm: output.latm[track], limits: limits)
            )
        }
        walks = kept
        assignSlots()
    }

    /// The track that a stream goes on with: one of the same codec that is not in use, best of the same PID, then of the same
    /// language; else a new one.
    private mutating func track(for stream: ElementaryStream, taken: Set<Int>, _ offset: UInt64) -> Int? {
        let free = output.tracks.filter { track in
            !taken.contains(track.number)
                && (track.codec == stream.codec || [.ac3, .eac3].contains(track.codec) && [.ac3, .eac3].contains(stream.codec))
        }
        let best = free.first { $0.pid == stream.pid } ?? free.first { $0.language == stream.language } ?? free.first
        if let best {
            output.describe(best.number, stream)
            return best.number
        }
        guard output.tracks.count < limits.tracks else {
            output.log.note(.tooMany, offset, stream.pid)
            return nil
        }
        let number = output.add(stream)
        if skipsToKeyframe, stream.isVideo { skipping.insert(number) }
        return number
    }

    private mutating func assignSlots() {
        slots = [Int16](repeating: -1, count: 8192)
        for pid in tables.pids { slots[Int(pid)] = 0 }
        for (index, walk) in walks.enumerated() where slots[Int(walk.pid)] < 0 && walk.pid != 0x1FFF { slots[Int(walk.pid)] = Int16(index + 1) }
    }
}
