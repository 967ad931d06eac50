internal import WebPaths

/// What a directory index looks like, for reports about its server.
package struct IndexSurvey: Sendable {
    /// The server whose shape it is: `nginx`; `nil`: none of the known ones.
    package private(set) var format: String?
    package private(set) var hasEnd = false
    package private(set) var files = 0
    package private(set) var filesWithSize = 0

    /// Takes long for long pages: not for the cooperative pool.
    ///
    /// - Throws: as `HTMLIndexParser` and `JSONIndexParser`.
    package static func of(_ page: [UInt8], isJSON: Bool, base: IndexBase) throws(IndexFault) -> IndexSurvey {
        var survey = IndexSurvey()
        let index = try isJSON ? JSONIndexParser.parse(page, base: base) : HTMLIndexParser.parse(page, base: base)
        survey.format = isJSON ? "JSON" : format(HTMLIndexReader.read(page))
        survey.hasEnd = index.isClosed
        let files = index.entries.filter { !$0.isDirectory }
        survey.files = files.count
        survey.filesWithSize = files.count { $0.size != nil }
        return survey
    }

    private static func format(_ reader: HTMLIndexReader) -> String? {
        var signs = reader.signs
        signs.hasSortLinks = reader.rows.contains { $0.href.starts(with: "?C=".utf8) }
        var known: Set<String> = []
        for row in reader.rows.prefix(1000) {
            switch IndexShape(row, signs) {
            case .nginx: known.insert("nginx")
            case .iis: known.insert("IIS")
            case .caddy: known.insert("Caddy")
            case .other: break
            }
        }
        if known.count == 1 { return known.first }
        let heading = String(decoding: LinkReference.trimmed(signs.heading.isEmpty ? signs.title : signs.heading), as: UTF8.self)
        if signs.hasColumnHeads || signs.hasSortLinks { return "Apache" }
        if heading.hasPrefix("Directory listing for ") { return "Python" }
        return heading.hasPrefix("Index of ") ? "“Index of”, as lighttpd and others have it" : nil
    }
}
