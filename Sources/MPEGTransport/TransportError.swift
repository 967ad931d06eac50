/// Why a file cannot be read as a transport stream.
package struct TransportError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// No run of packets of 188, 192 or 204 bytes.
        case notTransportStream
        /// No program, or none with a stream that is carried.
        case noProgram
        /// The program's streams are encrypted.
        case scrambled
    }

    package var code: Code
    /// How far was looked.
    package var offset: UInt64
    package var detail: String

    package init(_ code: Code, offset: UInt64, detail: String = "") {
        self.code = code
        self.offset = offset
        self.detail = detail
    }
}

extension TransportError: CustomStringConvertible {
    package var description: String { "transport stream, \(offset) bytes looked at: \(code)\(detail.isEmpty ? "" : ", \(detail)")" }
}
