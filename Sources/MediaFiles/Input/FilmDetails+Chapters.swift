internal import Matroska
internal import Remux

extension FilmDetails {
    /// The chapters of the edition that players show by default, and what of all chapters does not go in.
    mutating func take(_ editions: [Edition]) {
        guard let edition = editions.first(where: { $0.isDefault && !$0.isHidden }) ?? editions.first(where: { !$0.isHidden }) else { return }
        // An ordered edition is a play list: its chapters are no marks in the file's own timeline.
        guard !edition.isOrdered else {
            notes.append("its chapters are left out: they are a play list, not marks in the film")
            return
        }
        let shown = edition.chapters.filter { !$0.isHidden && $0.isEnabled }
        chapters = shown.map { FilmChapter(start: $0.start, title: $0.displays.first?.text ?? "") }
        chapters.sort { $0.start < $1.start }
        let inside = shown.reduce(0) { $0 + Self.inside($1) }
        if inside > 0 {
            notes.append("\(Self.count(inside, "chapter inside of another", "chapters inside of others")) left out: an MP4 has one level of them")
        }
        let over = chapters.count - MovieDescription.maximumChapters
        if over > 0 { notes.append("\(Self.count(over, "chapter")) left out: the list of an MP4 holds \(MovieDescription.maximumChapters)") }
        let others = editions.count { !$0.isHidden && !$0.chapters.isEmpty } - 1
        if others > 0 { notes.append("\(Self.count(others, "other list", "other lists")) of chapters left out: an MP4 has one") }
    }

    private static func inside(_ chapter: Chapter) -> Int {
        chapter.children.filter { !$0.isHidden && $0.isEnabled }.reduce(0) { $0 + 1 + inside($1) }
    }

    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        number == 1 ? "1 \(one) is" : "\(number) \(many ?? one + "s") are"
    }
}
