internal import Remux

/// `reelfs probe`: says what a film is without making anything of it.
package enum FilmProbe {
    /// - Parameters:
    ///   - readsAll: look through the whole file for damage, not only its first part.
    ///   - onProgress: bytes looked through, bytes in all.
    package static func report(
        path: String, readsAll: Bool, isCancelled: () -> Bool, onProgress: (UInt64, UInt64) -> Void
    ) throws(MediaFileError) -> FilmReport {
        let file = try InputFile(path: path)
        let reader = try Film.open(file)
        let probe = try HeadProbe(reader, isCancelled: isCancelled)
        let plan = RemuxPlan(reader.tracks, firstFrames: probe.firstFrames, searched: probe.searched)
        guard readsAll else { return FilmReport(path: path, bytes: file.size, reader: reader, plan: plan, isComplete: false) }
        return try whole(try Film.open(file), file, plan, isCancelled: isCancelled, onProgress: onProgress)
    }

    private static func whole(
        _ reader: any FilmReader, _ file: InputFile, _ plan: RemuxPlan, isCancelled: () -> Bool, onProgress: (UInt64, UInt64) -> Void
    ) throws(MediaFileError) -> FilmReport {
        var silent = Set(plan.order.filter { $0 < reader.tracks.count && reader.tracks[$0].codec.isText })
        var reported: UInt64 = 0
        while let frame = try reader.next() {
            if silent.contains(frame.track), !reader.tracks[frame.track].codec.text(of: frame.bytes).isEmpty { silent.remove(frame.track) }
            guard reader.position > reported + 8 << 20 else { continue }
            reported = reader.position
            onProgress(reported, file.size)
            if isCancelled() { throw MediaFileError(.cancelled, path: file.path, "stopped") }
        }
        var report = FilmReport(path: file.path, bytes: file.size, reader: reader, plan: plan, isComplete: true)
        report.leaveOut(silent: silent)
        return report
    }
}
