internal import Bytes

/// A request as `FaultOrigin` takes it.
package struct FaultRequest: Sendable {
    package var method: String
    /// As sent.
    package var target: String
    /// Decoded, without its query.
    package var path: String
    package var fields: [String]
    /// One range, as HTTP writes it; `nil`: none, or one that this server ignores.
    package var range: (first: Int, last: Int?)?
    /// `bytes=-n`.
    package var suffix: Int?
    package var connection: Int

    /// PROPFIND and OPTIONS, and GET of a directory.
    package var isListing: Bool { method == "PROPFIND" || method == "OPTIONS" || path.hasSuffix("/") }

    package subscript(_ name: String) -> String? {
        fields.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }.map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }

    init(_ request: ScriptedServer.Request) {
        method = String(request.line.prefix { $0 != " " })
        target = request.path
        path = String(decoding: PercentCoding.decode(target.prefix { $0 != "?" }), as: UTF8.self)
        fields = request.fields
        connection = request.connection
        guard let text = request["Range"], text.hasPrefix("bytes="), !text.contains(",") else { return }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return }
        if let first = Int(ends[0]) { range = (first, Int(ends[1])) } else { suffix = Int(ends[1]) }
    }
}
