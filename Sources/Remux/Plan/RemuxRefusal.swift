/// Why a film cannot become an MP4.
package enum RemuxRefusal: Error, Hashable, Sendable {
    /// DRM or scrambling.
    case encrypted(String)
    /// There is video, but none that MP4 can carry: the result would be sound without a picture.
    case noVideo([String])
    /// There is audio, but none that MP4 can carry.
    case noAudio([String])
    /// Neither video nor audio is in it.
    case nothingPlayable

    init?(_ entries: [RemuxPlan.Entry]) {
        var media = entries.filter { $0.track.kind == .video || $0.track.kind == .audio }
        guard !media.isEmpty else {
            self = .nothingPlayable
            return
        }
        // Sound without a single frame is no sound that could be missed, unless there is nothing else.
        let heard = media.filter { entry in
            if entry.track.kind == .audio, case .left(.empty) = entry.verdict { false } else { true }
        }
        if !heard.isEmpty { media = heard }
        for kind in [SourceTrack.Kind.video, .audio] {
            let tracks = media.filter { $0.track.kind == kind }
            guard !tracks.isEmpty, tracks.allSatisfy({ $0.verdict.setup == nil }) else { continue }
            let reasons = tracks.compactMap { entry in
                if case .left(let reason) = entry.verdict { reason } else { nil }
            }
            if let how = reasons.lazy.compactMap({ reason in if case .encrypted(let how) = reason { how } else { nil } }).first {
                self = .encrypted(how)
            } else {
                let texts = reasons.map(\.description)
                self = kind == .video ? .noVideo(texts) : .noAudio(texts)
            }
            return
        }
        return nil
    }
}

extension RemuxRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .encrypted(let how): "the film is encrypted (\(how)); without its key nothing can be made of it"
        case .noVideo(let reasons): "no video track can go into an MP4: \(reasons.joined(separator: "; "))"
        case .noAudio(let reasons): "no audio track can go into an MP4: \(reasons.joined(separator: "; "))"
        case .nothingPlayable: "there is neither video nor audio in it"
        }
    }
}
