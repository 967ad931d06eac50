/// `chpl`, Nero's list of chapters, in the movie's `udta`: what ffmpeg, VLC and mpv read.
package struct ChapterListBox: Box, Hashable {
    package static let type: FourCC = "chpl"

    package struct Chapter: Hashable, Sendable {
        /// In units of 100 ns.
        package var start: UInt64
        /// At most 255 bytes.
        package var title: String

        package init(start: UInt64, title: String) {
            self.start = start
            self.title = title
        }
    }

    /// At most 255.
    package var chapters: [Chapter]

    package init(_ chapters: [Chapter]) { self.chapters = chapters }

    /// What the box can hold of `chapters`: titles cut between characters, and nothing when there are more than 255 chapters.
    package static func fitting(_ chapters: [Chapter]) -> ChapterListBox? {
        guard !chapters.isEmpty, chapters.count <= 255 else { return nil }
        return ChapterListBox(
            chapters.map { Chapter(start: $0.start, title: cut($0.title)) })
    }

    /// The first 255 bytes at most, whole characters of Unicode.
    private static func cut(_ title: String) -> String {
        var result = ""
        var bytes = 0
        for scalar in title.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= 255 else { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        // Version 1 has four reserved bytes more.
        if try reader.versionAndFlags().version == 1 { try reader.skip(4) }
        chapters = []
        for _ in 0..<(try reader.u8()) {
            let start = try reader.u64()
            chapters.append(Chapter(start: start, title: String(decoding: try reader.bytes(Int(try reader.u8())), as: UTF8.self)))
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type, version: 1) { writer in
            writer.u32(0)
            writer.u8(writer.fit(chapters.count, "count of chapters"))
            for (index, chapter) in chapters.enumerated() {
                writer.u64(chapter.start)
                writer.u8(writer.fit(chapter.title.utf8.count, "length of the title", entry: index))
                writer.bytes(chapter.title.utf8)
            }
        }
    }
}
