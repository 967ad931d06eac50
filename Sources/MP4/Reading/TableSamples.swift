/// The samples of a `stbl`, one after the other, found without unpacking its tables.
///
/// Every step is constant work, but tables of a few bytes can announce 2³² samples: who reads a file that came from outside
/// compares `count` with what the file can hold.
package struct TableSamples: Sendable {
    private let table: SampleTableBox
    private let path: String
    /// The next sample, counted from 0.
    private var index = 0
    private var time: UInt64 = 0
    private var timeRun = 0, timeUsed: UInt32 = 0
    private var offsetRun = 0, offsetUsed: UInt32 = 0
    private var syncIndex = 0
    /// The chunk that holds the next sample, counted from 0, and the run of `stsc` it is in.
    private var chunk = 0, chunkRun = 0, chunkUsed: UInt32 = 0
    private var place: UInt64 = 0

    /// - Parameter path: of the table, for errors.
    package init(_ table: SampleTableBox, path: String = "stbl") {
        self.table = table
        self.path = path
    }

    package var count: Int { table.sizes.count }

    private func fault(_ box: FourCC, entry: Int, _ detail: String) -> MP4Error {
        MP4Error(code: .malformed, path: "\(path).\(box).entry[\(entry)]", offset: 0, detail: "sample \(index): \(detail)")
    }

    /// - Returns: `nil` behind the last sample.
    /// - Throws: `.malformed` if the tables disagree, at the first sample for which they do.
    package mutating func next() throws(MP4Error) -> MovieSample? {
        guard let size = table.sizes[index] else { return nil }
        let duration = try nextDuration()
        let (offset, description) = try nextPlace(size: size)
        let sample = MovieSample(
            offset: offset, size: size, decodeTime: time, duration: duration, compositionOffset: nextOffset(), isSync: nextIsSync(),
            description: description)
        let (end, overflow) = time.addingReportingOverflow(UInt64(duration))
        guard !overflow else { throw fault(TimeToSampleBox.type, entry: timeRun, "time beyond 64 bits") }
        time = end
        index += 1
        return sample
    }

    private mutating func nextDuration() throws(MP4Error) -> UInt32 {
        let runs = table.times.runs
        while timeRun < runs.count, timeUsed >= runs[timeRun].count {
            timeRun += 1
            timeUsed = 0
        }
        guard timeRun < runs.count else { throw fault(TimeToSampleBox.type, entry: timeRun, "no duration") }
        timeUsed += 1
        return runs[timeRun].duration
    }

    /// Samples for which the table has nothing have offset 0, as players take it.
    private mutating func nextOffset() -> Int32 {
        guard let runs = table.offsets?.runs else { return 0 }
        while offsetRun < runs.count, offsetUsed >= runs[offsetRun].count {
            offsetRun += 1
            offsetUsed = 0
        }
        guard offsetRun < runs.count else { return 0 }
        offsetUsed += 1
        return runs[offsetRun].offset
    }

    private mutating func nextIsSync() -> Bool {
        guard let samples = table.sync?.samples else { return true }
        guard syncIndex < samples.count, UInt64(samples[syncIndex]) == UInt64(index) + 1 else { return false }
        syncIndex += 1
        return true
    }

    private mutating func nextPlace(size: UInt32) throws(MP4Error) -> (offset: UInt64, description: UInt32) {
        let runs = table.chunks.runs
        guard !runs.isEmpty else { throw fault(SampleToChunkBox.type, entry: 0, "no chunk") }
        if chunkUsed >= runs[chunkRun].samplesPerChunk {
            chunk += 1
            chunkUsed = 0
            if chunkRun + 1 < runs.count, chunk + 1 >= Int(runs[chunkRun + 1].firstChunk) { chunkRun += 1 }
        }
        if chunkUsed == 0 {
            guard chunk < table.chunkOffsets.offsets.count else {
                throw fault(table.chunkOffsets.isLong ? ChunkOffsetBox.longType : ChunkOffsetBox.shortType, entry: chunk, "no chunk")
            }
            place = table.chunkOffsets.offsets[chunk]
        }
        chunkUsed += 1
        let start = place
        let (end, overflow) = start.addingReportingOverflow(UInt64(size))
        guard !overflow else { throw fault(SampleSizeBox.type, entry: index, "ends beyond 64 bits") }
        place = end
        return (start, runs[chunkRun].description)
    }
}
