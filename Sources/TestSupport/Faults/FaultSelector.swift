extension Fault {
    /// Which requests a fault hits: all conditions must hold.
    package struct Selector: Sendable, CustomStringConvertible {
        package enum Area: Hashable, Sendable { case everything, listings, files }

        /// Which of the requests that fit the other conditions, counted from 0.
        package enum Turn: Hashable, Sendable {
            case every
            case only(Int)
            case from(Int)
            case before(Int)

            func holds(_ number: Int) -> Bool {
                switch self {
                case .every: true
                case .only(let chosen): number == chosen
                case .from(let first): number >= first
                case .before(let end): number < end
                }
            }
        }

        package var area: Area
        /// `nil`: any.
        package var method: String?
        /// The decoded path; `nil`: any.
        package var path: String?
        /// Only requests with a range (`true`) or without one.
        package var hasRange: Bool?
        /// Only ranges that hold this byte.
        package var byte: Int?
        package var turn: Turn

        package init(
            _ area: Area, method: String? = nil, path: String? = nil, hasRange: Bool? = nil, byte: Int? = nil, turn: Turn = .every
        ) {
            self.area = area
            self.method = method
            self.path = path
            self.hasRange = hasRange
            self.byte = byte
            self.turn = turn
        }

        package static let everything = Selector(.everything)
        package static let listings = Selector(.listings)
        package static let files = Selector(.files)
        package static let head = Selector(.files, method: "HEAD")

        package func turn(_ turn: Turn) -> Selector {
            var changed = self
            changed.turn = turn
            return changed
        }

        /// Whether the request is one of those that are counted.
        func fits(_ request: FaultRequest) -> Bool {
            switch area {
            case .everything: break
            case .listings: if !request.isListing { return false }
            case .files: if request.isListing { return false }
            }
            if let method, method != request.method { return false }
            if let path, path != request.path { return false }
            if let hasRange, hasRange != (request.range != nil) { return false }
            if let byte {
                guard let range = request.range, range.first <= byte, range.last.map({ byte <= $0 }) ?? true else { return false }
            }
            return true
        }

        package var description: String {
            var words = ["\(area)"]
            if let method { words.append(method) }
            if let path { words.append(path) }
            if let hasRange { words.append(hasRange ? "with range" : "without range") }
            if let byte { words.append("with byte \(byte)") }
            if turn != .every { words.append("\(turn)") }
            return words.joined(separator: " ")
        }
    }
}
