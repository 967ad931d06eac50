/// What stands before a body.
package struct HTTPResponseHead: Sendable {
    package var status: Int
    package var fields: [HTTPField]
    /// Where it came from, redirects followed. It may be signed: for people use `redacted`.
    package var url: HTTPURL
    /// `Content-Length`; `nil` when the end of the body is told otherwise.
    package var contentLength: UInt64?

    package init(status: Int, fields: [HTTPField], url: HTTPURL, contentLength: UInt64? = nil) {
        self.status = status
        self.fields = fields
        self.url = url
        self.contentLength = contentLength
    }
}

/// A whole response.
package struct HTTPResponse: Sendable {
    package var head: HTTPResponseHead
    package var body: [UInt8]

    package init(head: HTTPResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}

/// Takes one response. Calls come in order, one after another, from the engine's thread: `head` at most once, then
/// `body` any number of times, then `finished` exactly once. They must be quick: every other transfer waits meanwhile.
/// Starting and cancelling transfers from them is allowed, `HTTPClient.shutdown` is not.
package protocol HTTPResponseHandler: AnyObject, Sendable {
    /// The final response only: not a redirect that is followed, not a challenge that is answered. `false` stops.
    func head(_ head: HTTPResponseHead) -> Bool
    /// The next bytes; the pointer is valid during the call only. `false` stops.
    func body(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// `nil`: the body is whole, as far as its framing told a length. A stop gives `.cancelled`.
    func finished(_ error: TransportError?)
}
