/// A sample entry kept as it is behind the data reference.
package struct OtherSampleEntry: Hashable, Sendable {
    package var format: FourCC
    package var payload: [UInt8]

    package init(format: FourCC, payload: [UInt8]) {
        self.format = format
        self.payload = payload
    }

    /// `wvtt` (ISO/IEC 14496-30 §7.5) with what stands in front of a WebVTT file's first cue: `WEBVTT` at least.
    package static func webVTT(header: String = "WEBVTT") throws(MP4Error) -> OtherSampleEntry {
        OtherSampleEntry(format: "wvtt", payload: try BoxWriter.bytes { $0.box("vttC") { $0.bytes(header.utf8) } })
    }

    init(from reader: inout BoxReader) throws(MP4Error) {
        format = reader.type
        try SampleEntry.readHead(&reader)
        payload = reader.rest()
    }

    func write(to writer: inout BoxWriter) {
        writer.box(format) { writer in
            SampleEntry.writeHead(to: &writer)
            writer.bytes(payload)
        }
    }
}
