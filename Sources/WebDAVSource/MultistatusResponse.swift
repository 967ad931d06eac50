/// One `response` of a multistatus (RFC 4918 §14.24), as far as a listing needs it. Texts are as sent, trimmed.
struct MultistatusResponse: Hashable, Sendable {
    var href: [UInt8] = []
    /// The status of the response itself; most have none, and one in each `propstat`.
    var status: Int?
    /// Where no `propstat` had success, the first one's status: the server kept everything to itself.
    var refusal: Int?
    var properties = Properties()

    /// The properties that the server gave with success; absent and failed ones are `nil`.
    struct Properties: Hashable, Sendable {
        /// `resourcetype` holds `collection`. `nil`: not told, or an empty type, which old servers send for directories too.
        var isCollection: Bool?
        /// Microsoft's `iscollection`.
        var isMicrosoftCollection: Bool?
        /// Bytes; `nil` when absent, empty, negative or no number that a file can have.
        var contentLength: UInt64?
        var lastModified: String?
        var entityTag: String?
        var contentType: String?
        /// RFC 4331. `nil` when absent or negative (−1 unknown, −2 and −3 without limit).
        var quotaAvailable: UInt64?
        var quotaUsed: UInt64?

        /// Adds what another successful `propstat` of the same response says.
        mutating func merge(_ other: Properties) {
            isCollection = isCollection == true ? true : other.isCollection ?? isCollection
            isMicrosoftCollection = isMicrosoftCollection ?? other.isMicrosoftCollection
            contentLength = contentLength ?? other.contentLength
            lastModified = lastModified ?? other.lastModified
            entityTag = entityTag ?? other.entityTag
            contentType = contentType ?? other.contentType
            quotaAvailable = quotaAvailable ?? other.quotaAvailable
            quotaUsed = quotaUsed ?? other.quotaUsed
        }
    }

    /// The server says that it could not tell of this resource.
    var hasFailed: Bool { status.map { !(200...299).contains($0) } ?? false }

    /// Directory or file: `resourcetype`, else `iscollection`, else a trailing slash of the href. An empty type together
    /// with a length is a file also with a slash: nginx answers so when a file is asked for with one.
    var isDirectory: Bool {
        if properties.isCollection == true { return true }
        if let told = properties.isMicrosoftCollection { return told }
        if properties.isCollection == false, properties.contentLength != nil { return false }
        return href.last == UInt8(ascii: "/")
    }
}

/// Why the body of a PROPFIND answer is no listing.
enum MultistatusFault: Error, Hashable, Sendable {
    /// Not well-formed, or it ends before its end.
    case notWellFormed(line: Int)
    /// Well-formed, but of another kind; the name of its outermost element.
    case notMultistatus(element: String)
    /// A document type declaration: no WebDAV answer has one, and entities hide in it.
    case documentType
    case tooDeep
    case tooLong
    case tooManyResponses
}
