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
        var isComplete = false
        if readsAll {
            var reported: UInt64 = 0
            while try reader.next() != nil {
                guard reader.position > reported + 8 << 20 else { continue }
                reported = reader.position
                onProgress(reported, file.size)
                if isCancelled() { throw MediaFileError(.cancelled, path: path, "stopped") }
            }
            isComplete = true
        }
        return FilmReport(path: path, bytes: file.size, reader: reader, plan: plan, isComplete: isComplete)
    }
}
