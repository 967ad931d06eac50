package import Bytes

/// One origin, made readable. Every method may be called from any thread, many at a time.
package protocol Source: AnyObject, Sendable {
    /// `webdav`, `http`, `list`: the word of `--type`.
    var kind: String { get }

    /// The address to show people: no user information, no signed query.
    var publicAddress: String { get }

    /// The address of one entry to show people, as `publicAddress`; `nil`: it is not known apart from the source's and the names on the way.
    func publicAddress(of entry: RemoteEntry) -> String?

    /// The directory that is the source's root. A source of a single file has a root that lists this one file.
    var root: EntryLocator { get }

    /// Lists a directory, completely. One request where the protocol allows it; transient faults were already retried
    /// within the listing's deadline.
    ///
    /// - Throws: never answers an empty or partial listing in place of an error.
    func list(_ directory: EntryLocator) async throws(SourceError) -> DirectoryListing

    /// Learns the exact size (and modification time, if the listing lacked it) of a file whose listing did not tell.
    ///
    /// - Returns: the entry with `size` set.
    /// - Throws: `.sizeUnknown` when no request tells; the caller may then spool the file.
    func probe(_ entry: RemoteEntry) async throws(SourceError) -> RemoteEntry

    /// Starts to fetch bytes of a file and returns at once. One attempt: who asks decides on retries, since it knows
    /// what has arrived. The sink hears from the source's own thread, never from inside this call.
    func fetch(_ request: FetchRequest, into sink: any FetchSink) -> any FetchTask

    /// Ends everything under way with `.cancelled`; nothing is started afterwards.
    func shutdown()
}

extension Source {
    package func publicAddress(of entry: RemoteEntry) -> String? { nil }
}

/// Bytes wanted of one version of a file.
package struct FetchRequest: Sendable {
    package var entry: RemoteEntry
    /// Inside the entry's size; not empty. An entry without a size is asked from offset 0 with `count == .max`.
    package var range: FileRange
    /// The validator and length pinned by an earlier reply for this version; a reply that differs ends the fetch with
    /// `.changedUpstream`. `nil`: this fetch is the probe.
    package var pinned: Validator?
    /// Read-ahead yields connections to what a reader waits for.
    package var isReadAhead: Bool

    package init(entry: RemoteEntry, range: FileRange, pinned: Validator?, isReadAhead: Bool = false) {
        self.entry = entry
        self.range = range
        self.pinned = pinned
        self.isReadAhead = isReadAhead
    }
}

/// What an accepted reply promises before its first byte. Status, `Content-Range`, total length (against the entry's
/// size), validator (against the pinned one) and media type were already checked by the source.
package struct FetchReply: Sendable {
    /// Where the bytes that follow begin: the asked offset, or 0 when the origin ignores ranges.
    package var offset: UInt64
    /// The file's whole length; `nil` only when the origin does not tell it (chunked).
    package var total: UInt64?
    package var validator: Validator
    /// Whether the origin honoured the range. If not, the whole file follows from offset 0.
    package var isRanged: Bool

    package init(offset: UInt64, total: UInt64?, validator: Validator, isRanged: Bool) {
        self.offset = offset
        self.total = total
        self.validator = validator
        self.isRanged = isRanged
    }
}

package enum FetchDecision: Sendable { case proceed, stop }

/// Takes the bytes of one fetch. Calls come one after another, from one thread of the source: `begin` at most once,
/// then any number of `receive`, then `end` exactly once, also after a stop or a cancel. Implementations must be quick
/// and must not call back into the source's `shutdown`; starting and cancelling fetches is allowed.
package protocol FetchSink: AnyObject, Sendable {
    func begin(_ reply: FetchReply) -> FetchDecision
    /// The next bytes in order; the pointer is valid during the call only. Never more than the reply promised.
    func receive(_ bytes: UnsafeRawBufferPointer) -> FetchDecision
    /// `nil`: every promised byte was given, also when the sink stopped with the last one. An earlier stop ends with `.cancelled`.
    func end(_ error: SourceError?)
}

/// A fetch under way.
package protocol FetchTask: AnyObject, Sendable {
    /// Ends it soon with `.cancelled`, unless it has ended. May be called from any thread, any number of times, also
    /// from the sink's own calls.
    func cancel()
}
