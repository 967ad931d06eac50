/// SEI messages (ISO/IEC 14496-10 §7.3.2.3, ISO/IEC 23008-2 §7.3.5), the same framing in both standards.
package struct SupplementalInformation: Hashable, Sendable {
    package let type: Int
    package let payload: [UInt8]

    /// Payload types that are looked for.
    package static let recoveryPoint = 6
    package static let masteringDisplay = 137
    package static let contentLight = 144

    /// The messages of an SEI unit, as far as they are whole.
    ///
    /// - Parameter rbsp: the unit's payload after `RBSP.payload(of:headerSize:)`.
    package static func messages(in rbsp: [UInt8]) -> [SupplementalInformation] {
        var messages: [SupplementalInformation] = []
        var index = 0
        // more_rbsp_data(): what follows is more than the stop bit.
        while index + 2 < rbsp.count {
            guard let type = number(in: rbsp, &index), let size = number(in: rbsp, &index), size <= rbsp.count - index else { break }
            messages.append(SupplementalInformation(type: type, payload: Array(rbsp[index..<index + size])))
            index += size
        }
        return messages
    }

    private static func number(in bytes: [UInt8], _ index: inout Int) -> Int? {
        var value = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            value += Int(byte)
            if byte != 0xFF { return value }
        }
        return nil
    }
}
