/// The conditions of a request on a file (RFC 9110 §13). Dates are compared as the text this server gave out: another
/// date is another version.
struct Preconditions {
    enum Outcome { case proceed, notModified, failed }

    private let fields: [String: String]

    init(_ fields: [String: String]) { self.fields = fields }

    /// The order is that of RFC 9110 §13.2.2.
    func outcome(for node: ServedNode) -> Outcome {
        if let wanted = fields["if-match"] {
            if !Self.matches(wanted, node.entityTag) { return .failed }
        } else if let date = fields["if-unmodified-since"], date != node.lastModified {
            return .failed
        }
        if let known = fields["if-none-match"] {
            if Self.matches(known, node.entityTag) { return .notModified }
        } else if let date = fields["if-modified-since"], date == node.lastModified {
            return .notModified
        }
        return .proceed
    }

    /// Whether a `Range` field counts: `If-Range` is absent or names this very version (§13.1.5).
    func allowsRange(of node: ServedNode) -> Bool {
        guard let condition = fields["if-range"] else { return true }
        return condition == node.entityTag || condition == node.lastModified
    }

    private static func matches(_ list: String, _ tag: String) -> Bool {
        list.split(separator: ",").contains { item in
            let text = item.filter { $0 != " " && $0 != "\t" }
            return text == "*" || text == tag || text == "W/" + tag
        }
    }
}
