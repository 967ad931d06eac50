/// One track's samples in a fragment, checked and in the columns of a `trun`.
struct FragmentPart {
    let track: UInt32
    let size: UInt64
    let summary: Fragment.Part
    private let decodeTime: UInt64
    private let header: TrackFragmentHeaderBox
    private let run: TrackRunBox

    /// - Parameter samples: not empty.
    init(_ samples: [TimedSample], track: FragmentWriter.Track, index: Int) throws(MP4Error) {
        func refused(_ entry: Int, _ detail: String) -> MP4Error {
            MP4Error(code: .unrepresentable, path: "moof.traf[\(index)].trun[0].entry[\(entry)]", offset: 0, detail: detail)
        }
        guard let first = samples.first, let last = samples.last, let count = UInt32(exactly: samples.count) else {
            throw refused(0, "\(samples.count) samples")
        }
        let start = Int64(exactly: track.shift).map { first.decodeTime.addingReportingOverflow($0) }
        guard let start, !start.overflow, let decodeTime = UInt64(exactly: start.partialValue) else {
            throw refused(0, "decoding time \(first.decodeTime), shifted by \(track.shift)")
        }
        var durations: [UInt32] = [], offsets: [Int32] = [], bytes: UInt64 = 0
        var earliest = Int64.max, end = Int64.min
        durations.reserveCapacity(samples.count)
        offsets.reserveCapacity(samples.count)
        for (entry, sample) in samples.enumerated() {
            guard sample.description == first.description else { throw refused(entry, "another description within a fragment") }
            let lag = sample.presentationTime.subtractingReportingOverflow(sample.decodeTime)
            // ffmpeg moves a whole track by its most negative offset: none may be negative.
            guard !lag.overflow, lag.partialValue >= 0, let offset = Int32(exactly: lag.partialValue) else {
                throw refused(entry, "presentation \(sample.presentationTime), decoding \(sample.decodeTime)")
            }
            offsets.append(offset)
            if entry + 1 < samples.count {
                let step = samples[entry + 1].decodeTime.subtractingReportingOverflow(sample.decodeTime)
                guard !step.overflow, let duration = UInt32(exactly: step.partialValue) else {
                    throw refused(entry + 1, "decoding time \(samples[entry + 1].decodeTime) after \(sample.decodeTime)")
                }
                durations.append(duration)
            }
            let finish = sample.presentationTime.addingReportingOverflow(Int64(sample.duration))
            guard !finish.overflow else { throw refused(entry, "time beyond 64 bits") }
            earliest = min(earliest, sample.presentationTime)
            end = max(end, finish.partialValue)
            bytes += UInt64(sample.size)
        }
        durations.append(last.duration)
        self.track = track.description.id
        self.decodeTime = decodeTime
        size = bytes
        let sync = samples.firstIndex(where: \.isSync)
        summary = Fragment.Part(
            track: track.description.id, earliest: earliest, end: end, startsWithSync: first.isSync,
            firstSync: sync.map { Fragment.Sync(time: samples[$0].presentationTime, sample: UInt32($0 + 1)) })

        let syncCount = samples.count(where: \.isSync)
        let isAllSync = syncCount == samples.count
        let isFirstOnly = !isAllSync && syncCount == 1 && first.isSync
        let isMixed = !isAllSync && syncCount > 0 && !isFirstOnly
        let isOneSize = samples.allSatisfy { $0.size == first.size }
        let isOneDuration = durations.allSatisfy { $0 == durations[0] }
        header = TrackFragmentHeaderBox(
            track: track.description.id, description: first.description == 1 ? nil : first.description, duration: durations[0],
            size: isOneSize ? first.size : nil, flags: isAllSync ? .sync : .dependent)
        run = TrackRunBox(
            count: count, dataOffset: 0, firstFlags: isFirstOnly ? .sync : nil, durations: isOneDuration ? nil : durations,
            sizes: isOneSize ? nil : samples.map(\.size),
            flags: isMixed ? samples.map { ($0.isSync ? SampleFlags.sync : .dependent).rawValue } : nil,
            offsets: offsets.allSatisfy { $0 == 0 } ? nil : offsets)
    }

    /// - Parameter dataOffset: of the first sample, from the first byte of the `moof`.
    func box(dataOffset: Int32) -> TrackFragmentBox {
        var run = run
        run.dataOffset = dataOffset
        return TrackFragmentBox(header: header, decodeTime: decodeTime, runs: [run])
    }
}
