package import MP4

/// A film's facts beside its tracks, in MP4's terms.
package struct MovieDescription: Sendable {
    /// Of the movie's own times: durations and the pauses before tracks that start late.
    package var clock: Clock
    /// `MovieTime` seconds.
    package var created: UInt64 = 0
    package var userData: UserDataBox

    /// The box counts to 255.
    package static let maximumChapters = 255

    /// - Parameters:
    ///   - created: seconds since 1970.
    ///   - chapters: their starts in nanoseconds from the movie's start, and titles.
    ///   - cover: JPEG or PNG; other bytes are left out.
    package init(clock: Clock, created: Int64?, title: String?, chapters: [(start: UInt64, title: String)], cover: [UInt8]?) {
        self.clock = clock
        self.created = created.map { MovieTime.seconds(since1970: $0) } ?? 0
        var items: [MetadataBox.Item] = []
        if let title { items.append(.init(key: MetadataBox.name, text: title)) }
        items.append(.init(key: MetadataBox.tool, text: "reelfs"))
        if let cover, let item = MetadataBox.cover(cover) { items.append(item) }
        let list = chapters.prefix(Self.maximumChapters).map { ChapterListBox.Chapter(start: $0.start / 100, title: $0.title) }
        userData = UserDataBox(metadata: MetadataBox(items), chapters: list.isEmpty ? nil : ChapterListBox.fitting(list))
    }
}
