/// Why a file has no virtual MP4.
package enum VirtualRefusal: Error, Hashable, Sendable {
    /// Neither Matroska nor a transport stream, or too damaged to begin with.
    case unreadable(String)
    case unplayable(RemuxRefusal)
    /// Its description alone is larger than the room for it.
    case tooManyTracks
}

extension VirtualRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let reason): reason
        case .unplayable(let refusal): "\(refusal)"
        case .tooManyTracks: "the descriptions of its tracks have no room in the header"
        }
    }
}
