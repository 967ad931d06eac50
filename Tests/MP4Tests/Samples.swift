@testable import MP4

/// Boxes with every field set to something, for round trips.
enum Samples {
    static let picture = VisualSampleEntry(
        format: "avc1", width: 1920, height: 1080, compressor: "encoder",
        children: [
            RawBox(type: "avcC", payload: [1, 0x64, 0, 0x28, 0xFF, 0xE0, 0]),
            RawBox(type: "colr", payload: Array("nclx".utf8) + [0, 9, 0, 16, 0, 9, 0x80]),
            RawBox(type: "mdcv", payload: [UInt8](repeating: 7, count: 24)),
            RawBox(type: "clli", payload: [3, 0xE8, 1, 0x90]),
        ])
    static let sound = AudioSampleEntry(format: "mp4a", channels: 6, rate: 48000, children: [RawBox(type: "esds", payload: [0, 0, 0, 0, 3, 0])])
    static let lossless = AudioSampleEntry(
        format: "mlpa", channels: 8, rate: 96000, children: [RawBox(type: "dmlp", payload: [UInt8](repeating: 1, count: 10))])

    static var text: TextSampleEntry {
        var entry = TextSampleEntry()
        entry.displayFlags = 0x4000_0000
        entry.horizontal = -1
        entry.box = [1, 2, 300, -4]
        entry.font = "Serif"
        return entry
    }

    static func descriptions() throws -> SampleDescriptionBox {
        SampleDescriptionBox([
            .visual(picture), .audio(sound), .audio(lossless), .text(text), .other(try .webVTT(header: "WEBVTT\n")),
            .other(OtherSampleEntry(format: "zzzz", payload: [1, 2, 3])),
        ])
    }

    static func table() throws -> SampleTableBox {
        var table = SampleTableBox(try descriptions())
        table.times = TimeToSampleBox([.init(count: 4, duration: 1001), .init(count: 1, duration: 500)])
        table.offsets = CompositionOffsetBox([.init(count: 1, offset: 2002), .init(count: 4, offset: -1001)], isSigned: true)
        table.sync = SyncSampleBox([1, 4])
        table.chunks = SampleToChunkBox([.init(firstChunk: 1, samplesPerChunk: 3), .init(firstChunk: 2, samplesPerChunk: 2, description: 2)])
        table.sizes = SampleSizeBox([10, 20, 30, 40, 50])
        table.chunkOffsets = ChunkOffsetBox([1000, 0x1_0000_0000], isLong: true)
        table.rollDistances = RollGroupDescriptionBox([-4, 3])
        table.rollGroups = SampleToGroupBox([.init(count: 5, entry: 1)])
        return table
    }

    static func track(_ number: UInt32) throws -> TrackBox {
        TrackBox(
            header: TrackHeaderBox(
                track: number, duration: 5000, flags: 3, alternateGroup: 2, volume: 0x100,
                matrix: [0, 0x10000, 0, -0x10000, 0, 0, 5, 6, 0x4000_0000],
                width: 1920 << 16, height: 1080 << 16, created: 77),
            references: TrackReferenceBox([.init(kind: "chap", tracks: [3, 4]), .init(kind: "sync", tracks: [1])]),
            edits: EditListBox([.init(duration: 40, mediaTime: -1), .init(duration: 5000, mediaTime: 2002)]),
            media: MediaBox(
                header: MediaHeaderBox(timescale: 30000, duration: 4504, language: LanguageCode("deu") ?? .undetermined, created: 77),
                handler: HandlerBox(handler: "vide", name: "Bild"), language: ExtendedLanguageBox("de-AT"), kind: .video, samples: try table()),
            userData: UserDataBox(kinds: [TrackKindBox(value: "main")]))
    }

    static let userData = UserDataBox(
        metadata: MetadataBox([
            .init(key: MetadataBox.name, text: "Ein Film"), .init(key: MetadataBox.date, text: "1999"), .init(key: MetadataBox.tool, text: "reelfs"),
            .init(key: MetadataBox.cover, kind: 13, value: [0xFF, 0xD8, 0xFF, 0xE0]),
        ]), chapters: ChapterListBox([.init(start: 0, title: "Anfang"), .init(start: 600_000_000, title: "Weiter")]))

    static func movie() throws -> MovieBox {
        MovieBox(
            header: MovieHeaderBox(timescale: 1000, duration: 5000, nextTrack: 3, created: 3_000_000_000), tracks: [try track(1), try track(2)],
            extends: MovieExtendsBox(
                duration: 5000,
                tracks: [TrackExtendsBox(track: 1, description: 2, duration: 3, size: 4, flags: .dependent), TrackExtendsBox(track: 2)]),
            userData: userData)
    }

    static var fragment: MovieFragmentBox {
        var second = TrackFragmentHeaderBox(track: 2, description: 2)
        second.isBasedOnFragment = false
        second.baseOffset = 0x1_0000_0000
        return MovieFragmentBox(
            sequence: 9,
            tracks: [
                TrackFragmentBox(
                    header: TrackFragmentHeaderBox(track: 1, duration: 1001, size: 77, flags: .dependent), decodeTime: 0x1_0000_0001,
                    runs: [
                        TrackRunBox(count: 3, dataOffset: 200, firstFlags: .sync, offsets: [2002, 0, 1001]),
                        TrackRunBox(
                            count: 2, dataOffset: nil, durations: [1, 2], sizes: [3, 4], flags: [0x0200_0000, 0x0101_0000], isSigned: false),
                    ]),
                TrackFragmentBox(header: second, decodeTime: nil, runs: [TrackRunBox(count: 7, dataOffset: -5)]),
            ])
    }
}
