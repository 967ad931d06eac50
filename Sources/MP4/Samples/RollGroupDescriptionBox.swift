/// `sgpd` of grouping `roll` (ISO/IEC 14496-12 §8.9.3, §10.1): samples to decode before the wanted one, −n for n before it.
package struct RollGroupDescriptionBox: Box, Hashable {
    package static let type: FourCC = "sgpd"
    package static let grouping: FourCC = "roll"

    package var distances: [Int16]

    package init(_ distances: [Int16]) { self.distances = distances }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        let version = try reader.versionAndFlags(atMost: 2).version
        let grouping = try reader.code()
        guard grouping == Self.grouping else { throw reader.error(.unsupported, "grouping \(grouping)") }
        let length = version == 1 ? try reader.u32() : 2
        guard length == 2 else { throw reader.error(.unsupported, "entries of \(length) bytes") }
        if version == 2 { try reader.skip(4) }
        let count = try reader.count(entrySize: 2)
        distances = []
        for _ in 0..<count { distances.append(try reader.i16()) }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: 1) { writer in
            writer.code(Self.grouping)
            writer.u32(2)
            writer.count(distances.count)
            for distance in distances { writer.i16(distance) }
        }
    }
}
