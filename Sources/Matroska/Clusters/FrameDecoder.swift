/// Undoes a track's ContentEncodings, frame by frame (RFC 9559 §5.1.4.1.31, §13, §14).
///
/// With `.copy` and `.prepend` a caller needs none of the functions here: the payload goes through as it is, behind the prefix.
package struct FrameDecoder: Sendable {
    /// What has to be done to a frame.
    package enum Method: Hashable, Sendable {
        case copy
        /// These bytes stand in front of every frame: the size is known without the payload.
        case prepend([UInt8])
        /// The payload is needed even for the frame's size.
        case inflate
        /// Encrypted, or a compression without an implementation; says which.
        case unsupported(String)
    }

    package let method: Method
    private let track: Track
    private let limits: MatroskaLimits

    package init(_ track: Track, limits: MatroskaLimits = MatroskaLimits()) {
        self.track = track
        self.limits = limits
        method = FrameDecoder.method(track.encodings.filter { $0.scope.contains(.frames) }.map(\.step), limits)
    }

    private static func method(_ steps: [ContentEncoding.Step], _ limits: MatroskaLimits) -> Method {
        var prefix: [UInt8] = []
        var inflates = false
        for step in steps {
            switch step {
            case .zlib: inflates = true
            case .headerStripping(let bytes): prefix = bytes + prefix
            case .unknownCompression(let algorithm): return .unsupported("compression \(algorithm)")
            case .encryption(let algorithm): return .unsupported("encryption \(algorithm)")
            case .unknown(let type): return .unsupported("content encoding of type \(type)")
            }
        }
        if inflates { return .inflate }
        return prefix.isEmpty ? .copy : .prepend(prefix)
    }

    /// A frame's size after decoding, where it follows from its stored size; `nil` when the payload is needed.
    package func size(ofStored size: UInt64) -> UInt64? {
        switch method {
        case .copy: size
        case .prepend(let prefix): sum(size, UInt64(prefix.count))
        case .inflate, .unsupported: nil
        }
    }

    /// A frame as its codec made it.
    /// - Parameter offset: the frame's place in the file, for errors.
    /// - Throws: `.inflateFailed` for damage and for more than `MatroskaLimits.inflatedBytes`, `.unsupportedEncoding`.
    package func frame(_ bytes: ArraySlice<UInt8>, at offset: UInt64) throws(MatroskaError) -> ArraySlice<UInt8> {
        try decode(bytes, scope: .frames, at: offset, path: [.segment, .cluster, .block])
    }

    /// CodecPrivate as the codec made it; `nil` when the track has none.
    package func codecPrivate() throws(MatroskaError) -> [UInt8]? {
        guard let stored = track.codecPrivate else { return nil }
        return Array(try decode(stored[...], scope: .codecPrivate, at: track.position, path: [.segment, .tracks, .trackEntry, .codecPrivate]))
    }

    private func decode(
        _ bytes: ArraySlice<UInt8>, scope: ContentEncoding.Scope, at offset: UInt64, path: [ElementID]
    ) throws(MatroskaError) -> ArraySlice<UInt8> {
        var result = bytes
        for encoding in track.encodings where encoding.scope.contains(scope) {
            switch encoding.step {
            case .headerStripping(let prefix): result = prefix + result
            case .zlib:
                guard let inflated = ZlibInflater.inflate(result, limit: limits.inflatedBytes) else {
                    throw MatroskaError(.inflateFailed, path, offset: offset, detail: "\(result.count) bytes")
                }
                result = inflated[...]
            case .unknownCompression, .encryption, .unknown:
                throw MatroskaError(.unsupportedEncoding, path, offset: offset, detail: "\(encoding.step)")
            }
        }
        return result
    }
}
