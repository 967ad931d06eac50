/// `mdia` (ISO/IEC 14496-12 §8.4.1) with `minf` and the sample table.
package struct MediaBox: Box, Hashable {
    package static let type: FourCC = "mdia"

    package var header: MediaHeaderBox
    package var handler: HandlerBox
    package var language: ExtendedLanguageBox?
    package var kind: MediaKind
    /// Some samples are in other files.
    package private(set) var isExternal = false
    package var samples: SampleTableBox

    package init(header: MediaHeaderBox, handler: HandlerBox, language: ExtendedLanguageBox? = nil, kind: MediaKind, samples: SampleTableBox) {
        self.header = header
        self.handler = handler
        self.language = language
        self.kind = kind
        self.samples = samples
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        var header: MediaHeaderBox?
        var handler: HandlerBox?
        var samples: SampleTableBox?
        kind = .other
        while var box = try reader.child() {
            switch box.type {
            case MediaHeaderBox.type: header = try MediaHeaderBox(from: &box)
            case HandlerBox.type: handler = try HandlerBox(from: &box)
            case ExtendedLanguageBox.type: language = try ExtendedLanguageBox(from: &box)
            case "minf":
                while var inner = try box.child() {
                    if let found = MediaKind(header: inner.type) { kind = found }
                    if inner.type == SampleTableBox.type { samples = try SampleTableBox(from: &inner) }
                    guard inner.type == "dinf" else { continue }
                    while var references = try inner.child() {
                        if references.type == "dref" { isExternal = try DataReferences.readIsExternal(&references) }
                    }
                }
            default: break
            }
        }
        guard let header else { throw reader.error(.malformed, "no mdhd") }
        guard let handler else { throw reader.error(.malformed, "no hdlr") }
        guard let samples else { throw reader.error(.malformed, "no stbl") }
        self.header = header
        self.handler = handler
        self.samples = samples
    }

    package func write(to writer: inout BoxWriter) {
        writer.box(Self.type) { writer in
            header.write(to: &writer)
            handler.write(to: &writer)
            language?.write(to: &writer)
            writer.box("minf") { writer in
                kind.write(to: &writer)
                if isExternal { writer.refuse("samples in another file") }
                DataReferences.write(to: &writer)
                samples.write(to: &writer)
            }
        }
    }
}
