/// A fault that reading went on behind.
package struct TransportDamage: Hashable, Sendable {
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// Bytes that belong to no packet.
        case garbage
        /// The last packet is not whole.
        case truncatedPacket
        /// transport_error_indicator: the receiver could not correct the packet. It is left out.
        case transportError
        /// A header that contradicts itself. The packet is left out.
        case badPacket
        /// continuity_counter jumped: packets of this PID are missing.
        case continuity
        /// Encrypted packets or PES; only the first of a run is told.
        case scrambled
        /// A section whose CRC, length or fields are wrong.
        case badSection
        /// More programs, streams or tracks than the limit.
        case tooMany
        /// No PES header where one must be.
        case badPES
        /// A PES that ends before its stated length.
        case shortPES
        /// PTS or DTS with wrong marker bits, or too far from each other.
        case badTimestamp
        /// Frames left out because no PTS has come yet.
        case noTimestamp
        /// Bytes between two frames of sound.
        case lostFrame
        /// A frame of a form that is not carried: several AAC blocks behind one ADTS header, LATM with several programs.
        case unsupportedFrame
        /// More than `TransportLimits.unitBytes`.
        case tooLarge
        /// The time jumped; what follows was moved to go on without a gap.
        case timeJump
    }

    package var kind: Kind
    /// The place in the file: of the packet, or of the first byte that belongs to none.
    package var offset: UInt64
    /// The stream concerned, if one is.
    package var pid: UInt16?

    package init(_ kind: Kind, offset: UInt64, pid: UInt16? = nil) {
        self.kind = kind
        self.offset = offset
        self.pid = pid
    }
}

extension TransportDamage: CustomStringConvertible {
    package var description: String { "\(kind) at \(offset)" + (pid.map { ", PID \($0)" } ?? "") }
}

/// The damages of a walk: the first ones with their place, all of them counted.
package struct TransportDamageLog: Hashable, Sendable {
    package private(set) var first: [TransportDamage] = []
    package private(set) var counts: [TransportDamage.Kind: Int] = [:]
    private let limit: Int

    package init(limit: Int = TransportLimits().damages) { self.limit = limit }

    package var total: Int { counts.values.reduce(0, &+) }
    package var isEmpty: Bool { counts.isEmpty }

    package func count(_ kind: TransportDamage.Kind) -> Int { counts[kind] ?? 0 }

    mutating func note(_ kind: TransportDamage.Kind, _ offset: UInt64, _ pid: UInt16? = nil) {
        counts[kind, default: 0] += 1
        if first.count < limit { first.append(TransportDamage(kind, offset: offset, pid: pid)) }
    }
}
