package import Bytes

/// What tells one version of a file from another: an entity tag, a time of modification (RFC 9110 §8.8).
package struct Validator: Hashable, Sendable {
    /// The entity tag exactly as sent, quotes and `W/` included.
    package var entityTag: String?
    package var modified: UnixTime?

    package init(entityTag: String? = nil, modified: UnixTime? = nil) {
        self.entityTag = entityTag.flatMap { $0.isEmpty ? nil : $0 }
        self.modified = modified
    }

    /// An entity tag that is not weak (RFC 9110 §8.8.3).
    package var strongEntityTag: String? { entityTag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }

    /// Whether bytes may be kept across opens under this validator: a strong entity tag, else a time of modification
    /// (which counts only together with the length, that every reply states).
    package var isStrong: Bool { strongEntityTag != nil || modified != nil }

    /// Whether a reply with `other` may be of the same version. What both state must agree; the strong entity tag
    /// decides before the time, and a reply that states neither, when this one is strong, is of another version.
    package func agrees(with other: Validator) -> Bool {
        if let mine = strongEntityTag {
            if let theirs = other.strongEntityTag { return mine == theirs }
            return false
        }
        if let mine = modified { return other.modified == mine }
        return true
    }
}
