/// One thing that was asked of a server, what was seen, and what reelfs does about it. Nothing secret is in it.
package struct OriginFinding: Hashable, Sendable, Codable {
    package enum Area: String, Hashable, Sendable, Codable, CaseIterable { case connection, listing, ranges, versions, speed, reading }

    package enum Level: String, Hashable, Sendable, Codable {
        case ok
        /// Unusual, and of no consequence.
        case note
        case bad
    }

    /// What a finding means for the use of the server.
    package enum Consequence: String, Hashable, Sendable, Codable, Comparable {
        case none
        /// It works, with limits.
        case limits
        /// Listings or reads fail.
        case prevents

        private var rank: Int {
            switch self {
            case .none: 0
            case .limits: 1
            case .prevents: 2
            }
        }

        package static func < (left: Consequence, right: Consequence) -> Bool { left.rank < right.rank }
    }

    package var area: Area
    /// What was looked at, the same words in every report: `middle`, `entity tag`.
    package var check: String
    package var level: Level
    package var consequence: Consequence
    package var seen: String
    /// What reelfs does about it; `nil` where nothing needs to be said.
    package var effect: String?

    package init(_ area: Area, _ check: String, _ level: Level, _ seen: String, effect: String? = nil, consequence: Consequence = .none) {
        self.area = area
        self.check = check
        self.level = level
        self.consequence = consequence
        self.seen = seen
        self.effect = effect
    }

    package static func ok(_ area: Area, _ check: String, _ seen: String, effect: String? = nil) -> OriginFinding {
        OriginFinding(area, check, .ok, seen, effect: effect)
    }

    package static func note(_ area: Area, _ check: String, _ seen: String, effect: String? = nil) -> OriginFinding {
        OriginFinding(area, check, .note, seen, effect: effect)
    }

    package static func bad(_ area: Area, _ check: String, _ seen: String, effect: String, _ consequence: Consequence) -> OriginFinding {
        OriginFinding(area, check, .bad, seen, effect: effect, consequence: consequence)
    }
}
