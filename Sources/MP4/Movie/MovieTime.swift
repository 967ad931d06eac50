/// Times of creation: seconds since 1904-01-01T00:00:00Z (ISO/IEC 14496-12 §8.2.2.3).
package enum MovieTime {
    /// From seconds since 1970; 0, unknown, for times before 1904.
    package static func seconds(since1970 seconds: Int64) -> UInt64 {
        UInt64(exactly: seconds.addingReportingOverflow(2_082_844_800).partialValue) ?? 0
    }
}

/// The transformation of movies and tracks (ISO/IEC 14496-12 §6.2.2).
package enum TransformationMatrix {
    package static let unity: [Int32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]

    static func read(_ reader: inout BoxReader) throws(MP4Error) -> [Int32] {
        var values: [Int32] = []
        for _ in 0..<9 { values.append(try reader.i32()) }
        return values
    }

    static func write(_ values: [Int32], to writer: inout BoxWriter) {
        if values.count != 9 { writer.refuse("a matrix of \(values.count) values") }
        for value in values { writer.i32(value) }
    }
}
