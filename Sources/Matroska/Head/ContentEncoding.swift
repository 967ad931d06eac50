/// One step by which a track's data was changed before it was stored (RFC 9559 §5.1.4.1.31.1).
package struct ContentEncoding: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// The zlib format of RFC 1950.
        case zlib
        /// Every frame begins with these bytes, which were taken off (RFC 9559 §5.1.4.1.31.6, algorithm 3).
        case headerStripping([UInt8])
        /// bzlib (1), lzo1x (2) or a number without meaning.
        case unknownCompression(algorithm: UInt64)
        case encryption(algorithm: UInt64)
        /// Neither compression nor encryption.
        case unknown(type: UInt64)
    }

    /// What was changed; a set, written as the file has it.
    package struct Scope: OptionSet, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }
        /// Each frame for itself, after lacing.
        package static let frames = Scope(rawValue: 1)
        package static let codecPrivate = Scope(rawValue: 2)
        /// The ContentEncryption of the next encoding.
        package static let nextEncoding = Scope(rawValue: 4)
    }

    /// Writers apply encodings in rising order.
    package var order: UInt64 = 0
    package var scope: Scope = .frames
    package var step: Step

    init(_ body: ElementBody) throws(MatroskaError) {
        var type: UInt64 = 0, algorithm: UInt64 = 0, settings: [UInt8] = [], cipher: UInt64 = 0
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .contentEncodingOrder: order = try child.unsigned()
            case .contentEncodingScope: scope = Scope(rawValue: try child.unsigned(1))
            case .contentEncodingType: type = try child.unsigned()
            case .contentCompression:
                var parts = child.children
                while let part = try parts.next() {
                    if part.id == .contentCompAlgo { algorithm = try part.unsigned() }
                    if part.id == .contentCompSettings { settings = Array(part.bytes) }
                }
            case .contentEncryption:
                var parts = child.children
                while let part = try parts.next() {
                    if part.id == .contentEncAlgo { cipher = try part.unsigned() }
                }
            default: break
            }
        }
        step =
            switch (type, algorithm) {
            case (0, 0): .zlib
            case (0, 3): .headerStripping(settings)
            case (0, _): .unknownCompression(algorithm: algorithm)
            case (1, _): .encryption(algorithm: cipher)
            default: .unknown(type: type)
            }
    }
}

/// What BlockAdditions with a certain number mean (RFC 9559 §5.1.4.1.17); Dolby Vision keeps its configuration here.
package struct BlockAdditionMapping: Hashable, Sendable {
    /// The BlockAddID it speaks of; `nil` when it speaks of the track alone.
    package var value: UInt64?
    package var name: String?
    /// The registered type: a four-character code as a number for what comes from MP4, such as `dvcC` 0x64766343 and `dvvC`
    /// 0x64767643, whose boxes' payload is `extraData`.
    package var type: UInt64 = 0
    package var extraData: [UInt8] = []

    init(_ body: ElementBody) throws(MatroskaError) {
        var children = body.children
        while let child = try children.next() {
            switch child.id {
            case .blockAddIDValue: value = try child.unsigned()
            case .blockAddIDName: name = child.text
            case .blockAddIDType: type = try child.unsigned()
            case .blockAddIDExtraData: extraData = Array(child.bytes)
            default: break
            }
        }
    }
}
