/// How long an Opus packet plays (RFC 6716 §3.1).
package enum OpusPacket {
    /// Samples of 48 kHz; `nil` for a packet that is empty, or longer than the 120 ms allowed.
    package static func samples(_ packet: some Collection<UInt8>) -> Int? {
        guard let head = packet.first else { return nil }
        let configuration = Int(head >> 3)
        let frame =
            switch configuration {
            case ..<12: [480, 960, 1920, 2880][configuration & 3]
            case ..<16: [480, 960][configuration & 1]
            default: [120, 240, 480, 960][configuration & 3]
            }
        var count = 1
        if head & 3 == 3 {
            guard let second = packet.dropFirst().first else { return nil }
            count = Int(second & 0x3F)
        } else if head & 3 != 0 {
            count = 2
        }
        let samples = frame * count
        return (1...5760).contains(samples) ? samples : nil
    }
}
