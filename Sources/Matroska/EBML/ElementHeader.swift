/// An element's ID and Data Size, and where they stand (RFC 8794 §5, §6).
package struct ElementHeader: Hashable, Sendable {
    package let id: ElementID
    /// The place of the ID's first byte.
    package let position: UInt64
    /// Bytes of ID and Data Size: 2 to 12.
    package let length: UInt8
    /// Bytes of data; `nil` when the size is unknown (RFC 8794 §6.2).
    package let size: UInt64?

    package var dataStart: UInt64 { sum(position, UInt64(length)) }

    /// The first byte behind the element; `nil` when the size is unknown. Held at `UInt64.max` rather than wrapped.
    package var end: UInt64? { size.map { sum(dataStart, $0) } }

    /// The longest header: an ID of 4 bytes and a size of 8.
    static let maximumLength: UInt64 = 12
}

/// Adds without wrapping: places come from the file.
func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (result, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : result
}

extension ElementHeader {
    enum Parsed {
        case header(ElementHeader)
        /// At least one byte more is needed to tell.
        case short
        case invalid(MatroskaError.Code)
    }

    /// Reads the header that `bytes` begin with; `position` is their place in the file.
    static func parse(_ bytes: ArraySlice<UInt8>, position: UInt64) -> Parsed {
        guard let first = bytes.first else { return .short }
        let idLength = first.leadingZeroBitCount + 1
        guard idLength <= 4 else { return .invalid(.invalidID) }
        guard bytes.count >= idLength else { return .short }
        var raw: UInt32 = 0
        for byte in bytes.prefix(idLength) { raw = raw << 8 | UInt32(byte) }
        guard let id = ElementID(valid: raw) else { return .invalid(.invalidID) }
        let rest = bytes.dropFirst(idLength)
        switch VariableInteger.parse(rest) {
        case .short: return .short
        case .invalid: return .invalid(.invalidSize)
        case .value(let number):
            let size = number.isAllOnes ? nil : number.value
            return .header(ElementHeader(id: id, position: position, length: UInt8(idLength + number.length), size: size))
        }
    }
}
