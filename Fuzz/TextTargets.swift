import Bytes
import WebPaths

@testable import Configuration
@testable import HTTPFiles
@testable import Transport

extension FuzzTarget {
    static let texts: [FuzzTarget] = [
        FuzzTarget(name: "toml", limit: 4 << 10, run: toml),
        FuzzTarget(name: "http-fields", limit: 2 << 10, run: fields),
        FuzzTarget(name: "response-head", limit: 4 << 10, run: head),
        FuzzTarget(name: "urls", limit: 2 << 10, run: urls),
    ]

    /// A configuration: read, written and read again it says the same; an edit keeps what it does not change.
    private static func toml(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let document = try? TomlDocument(parsing: text) else { return }
        var problems: [ConfigurationProblem] = []
        _ = Settings.read(document, path: "reelfs.toml", home: "/home/ann", problems: &problems)
        if let name = SourceName("cloud") { _ = SourceDefinition.read(name, document, path: "cloud.toml", problems: &problems) }
        let edited = TomlEditor.edited(text, changes: [("url", .string("https://host/"))])
        guard let again = try? TomlDocument(parsing: edited) else { preconditionFailure("an edit spoilt it") }
        precondition(again.entries["url"]?.value == .string("https://host/"), "an edit was lost")
    }

    /// The first byte chooses the field.
    private static func fields(_ input: [UInt8]) {
        guard let kind = input.first else { return }
        let text = String(decoding: input.dropFirst(), as: UTF8.self)
        switch kind % 6 {
        case 0:
            guard let range = ContentRange(text) else { return }
            if let part = range.range {
                precondition(part.offset < part.end && range.total.map { part.end <= $0 } ?? true, "a range outside of its whole")
            }
        case 1:
            guard let time = HTTPDate.parse(text) else { return }
            precondition(HTTPDate.parse(HTTPDate.format(time))?.seconds == time.seconds, "written again it is another time")
        case 2:
            if let name = FileNameHint.contentDisposition(text) { precondition(!name.isEmpty && !name.contains(0x2F) && !name.contains(0)) }
        case 3: _ = AuthenticationScheme.offered(in: [text, text])
        case 4: _ = (SecretHeader.parse(lines: text), ByteSize.parse(text), SourceName(text))
        default: if let name = FileNameHint.path(text) { precondition(!name.isEmpty && !name.contains(0x2F) && !name.contains(0)) }
        }
    }

    /// The lines of a reply's head.
    private static func head(_ bytes: [UInt8]) {
        var parser = ResponseHeadParser()
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            (line + [0x0A]).withUnsafeBytes { parser.take($0) }
        }
        _ = try? parser.contentLength()
    }

    /// Links and what they are relative to: they stay http, and paths inside of a directory stay there.
    private static func urls(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let text = String(decoding: parts[0], as: UTF8.self), other = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : text
        if let url = HTTPURL(text), let next = url.resolving(other) {
            precondition(["http", "https"].contains(next.scheme), "another scheme")
            precondition(HTTPURL(next.text)?.text == next.text, "a link that cannot be read again")
        }
        if let path = LinkPath(Array(parts[0])) {
            precondition(path.segments.allSatisfy { $0 != [0x2E, 0x2E] }, "a path that leads out")
            precondition(LinkPath(path.encoded)?.segments == path.segments, "encoded it is another")
        }
        _ = LinkPath.resolve(Array(parts[0]), against: "/a/b/c")
        _ = LinkReference(parts[0])
    }
}
