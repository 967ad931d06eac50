/// Collects a track's samples as they are written to the file: about 4 bytes for each, up to 24 for pictures whose
/// order and durations change all the time.
package struct SampleTableBuilder: Sendable {
    package private(set) var count: UInt32 = 0
    /// Decoding time of the first sample.
    package private(set) var firstDecodeTime: Int64 = 0
    /// The earliest presentation time, and the latest end of a presentation.
    package private(set) var earliestPresentation: Int64 = 0
    package private(set) var endOfPresentation: Int64 = 0
    /// Bytes of all samples.
    package private(set) var bytes: UInt64 = 0

    private var times = TimeToSampleBox()
    private var offsets = CompositionOffsetBox()
    private var hasOffsets = false
    private var sync: SyncSampleBox?
    private var sizes = SampleSizeBox()
    private var chunks = SampleToChunkBox()
    private var chunkOffsets = ChunkOffsetBox()
    private var last: TimedSample?
    /// The chunk that is being filled.
    private var chunkCount: UInt32 = 0, chunkStart: UInt64 = 0, chunkEnd: UInt64 = 0
    private let chunkLimit: UInt64

    /// - Parameter chunkLimit: bytes at which a chunk is ended even when more of the same track follows it.
    package init(chunkLimit: UInt64 = 1 << 20) { self.chunkLimit = chunkLimit }

    private func refused(_ detail: String) -> MP4Error {
        MP4Error(code: .unrepresentable, path: "stbl.entry[\(count)]", offset: chunkEnd, detail: detail)
    }

    /// The next sample in decoding order.
    ///
    /// - Parameter offset: of its bytes, counted from the first byte behind the header of `mdat`.
    /// - Throws: `.unrepresentable` if decoding times go back, or a field cannot hold a difference; then nothing is changed.
    package mutating func append(_ sample: TimedSample, at offset: UInt64) throws(MP4Error) {
        let lag = sample.presentationTime.subtractingReportingOverflow(sample.decodeTime)
        guard !lag.overflow, let composition = Int32(exactly: lag.partialValue) else {
            throw refused("presentation \(sample.presentationTime), decoding \(sample.decodeTime)")
        }
        let finish = offset.addingReportingOverflow(UInt64(sample.size))
        let end = sample.presentationTime.addingReportingOverflow(Int64(sample.duration))
        guard !finish.overflow, !end.overflow, count < .max else { throw refused("beyond the range of the table") }
        if let last {
            let step = sample.decodeTime.subtractingReportingOverflow(last.decodeTime)
            guard !step.overflow, let duration = UInt32(exactly: step.partialValue) else {
                throw refused("decoding time \(sample.decodeTime) after \(last.decodeTime)")
            }
            times.append(duration: duration)
        } else {
            firstDecodeTime = sample.decodeTime
            earliestPresentation = sample.presentationTime
            endOfPresentation = end.partialValue
        }
        earliestPresentation = min(earliestPresentation, sample.presentationTime)
        endOfPresentation = max(endOfPresentation, end.partialValue)
        if chunkCount == 0 || offset != chunkEnd || sample.description != last?.description || chunkEnd - chunkStart >= chunkLimit {
            closeChunk()
            chunkStart = offset
        }
        chunkCount += 1
        chunkEnd = finish.partialValue
        count += 1
        bytes += UInt64(sample.size)
        sizes.append(sample.size)
        offsets.append(offset: composition)
        if composition != 0 { hasOffsets = true }
        if !sample.isSync, sync == nil { sync = SyncSampleBox(Array(1..<count)) }
        if sample.isSync { sync?.append(count) }
        last = sample
    }

    private mutating func closeChunk() {
        guard chunkCount > 0 else { return }
        chunkOffsets.append(chunkStart)
        // There are no more chunks than samples, which 32 bits can count.
        chunks.append(chunk: UInt32(chunkOffsets.offsets.count), samples: chunkCount, description: last?.description ?? 1)
        chunkCount = 0
    }

    /// All ticks from the first decoding time to the end of the last sample.
    package var mediaDuration: UInt64 {
        guard let last else { return 0 }
        return UInt64(max(0, last.decodeTime &- firstDecodeTime)) &+ UInt64(last.duration)
    }

    /// The table of the samples so far.
    ///
    /// - Parameter rollDistance: of every sample (`roll`), such as −4 for 80 ms of Opus in packets of 20 ms.
    package func table(_ entries: [SampleEntry], rollDistance: Int16? = nil) -> SampleTableBox {
        var copy = self
        copy.closeChunk()
        if let last { copy.times.append(duration: last.duration) }
        var table = SampleTableBox(SampleDescriptionBox(entries))
        table.times = copy.times
        table.offsets = hasOffsets ? copy.offsets : nil
        table.sync = copy.sync
        table.sizes = copy.sizes
        table.chunks = copy.chunks
        table.chunkOffsets = copy.chunkOffsets
        if let rollDistance, count > 0 {
            table.rollDistances = RollGroupDescriptionBox([rollDistance])
            table.rollGroups = SampleToGroupBox([SampleToGroupBox.Run(count: count, entry: 1)])
        }
        return table
    }
}
