/// Numbers as file formats store them, most significant byte first.
extension [UInt8] {
    /// Appends all bytes of `number`.
    package mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends the low 24 bits of `number`.
    package mutating func append(bigEndian24 number: UInt32) {
        append(UInt8(truncatingIfNeeded: number >> 16))
        append(UInt8(truncatingIfNeeded: number >> 8))
        append(UInt8(truncatingIfNeeded: number))
    }

    /// Overwrites four bytes that are there.
    ///
    /// - Precondition: `index + 4 <= count`.
    package mutating func put(bigEndian number: UInt32, at index: Int) {
        self[index] = UInt8(truncatingIfNeeded: number >> 24)
        self[index + 1] = UInt8(truncatingIfNeeded: number >> 16)
        self[index + 2] = UInt8(truncatingIfNeeded: number >> 8)
        self[index + 3] = UInt8(truncatingIfNeeded: number)
    }
}
