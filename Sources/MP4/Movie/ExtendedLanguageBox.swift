/// `elng` (ISO/IEC 14496-12 §8.4.6): a language tag (BCP 47) that three letters cannot say, `pt-BR`.
package struct ExtendedLanguageBox: Box, Hashable {
    package static let type: FourCC = "elng"

    package var tag: String

    package init(_ tag: String) { self.tag = tag }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        _ = try reader.versionAndFlags()
        tag = reader.text()
    }

    package func write(to writer: inout BoxWriter) { writer.fullBox(Self.type) { $0.text(tag) } }
}
