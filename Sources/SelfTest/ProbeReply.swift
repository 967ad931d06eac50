package import Transport

/// What came back to one question.
package struct ProbeReply: Sendable {
    package var head: HTTPResponseHead?
    /// At most as many bytes as were wanted.
    package var body: [UInt8] = []
    /// More came than was wanted; the rest was cut off.
    package var hasMore = false
    package var error: TransportError?
    /// Seconds from the question to the first byte of the body or the end.
    package var firstByte = 0.0
    package var seconds = 0.0

    package init() {}

    package var status: Int { head?.status ?? 0 }

    func field(_ name: String) -> String? { head?.fields[name] }
}
