/// Whether a track goes into the MP4.
package enum TrackVerdict: Sendable {
    case carried(TrackSetup)
    case left(LeftOut)

    package var setup: TrackSetup? {
        if case .carried(let setup) = self { setup } else { nil }
    }
}

/// Why a track does not go into the MP4.
package enum LeftOut: Hashable, Sendable {
    /// MP4 has no place for the codec.
    case codec(String)
    /// Buttons, control, metadata.
    case kind
    case encrypted(String)
    /// Its frames cannot be restored.
    case unreadable(String)
    /// What the decoder needs is missing or damaged.
    case configuration(String)
    /// No frame was found in the first bytes of the file, and without one nothing can be said of it.
    case noFrame(searched: UInt64)
    /// There is none in the whole file.
    case empty
    case onRequest
}

extension LeftOut: CustomStringConvertible {
    package var description: String {
        switch self {
        case .codec(let name): "MP4 has no place for \(name)"
        case .kind: "it is neither video, audio nor subtitles"
        case .encrypted(let how): "it is encrypted (\(how))"
        case .unreadable(let what): "its frames cannot be restored: \(what)"
        case .configuration(let what): "its decoder configuration is unusable: \(what)"
        case .noFrame(let searched): "no frame was found in the first \(searched >> 20) MiB"
        case .empty: "there is no frame of it in the file"
        case .onRequest: "as asked"
        }
    }
}
