/// Bytes that a test compares. They print short and are no collection: a failed comparison of two arrays of megabytes
/// would search for their differences for hours.
package struct Octets: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    package var description: String {
        let start = bytes.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        return "\(bytes.count) bytes: \(start)\(bytes.count > 16 ? " …" : "")"
    }

    /// Where it first differs from `other`; `nil` when it does not.
    package func firstDifference(from other: Octets) -> Int? {
        if let index = zip(bytes, other.bytes).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset { return index }
        return bytes.count == other.bytes.count ? nil : min(bytes.count, other.bytes.count)
    }
}
