/// One way in which a server of `FaultOrigin` fails, and which requests it hits. Faults add up: each one that hits a request
/// changes its answer.
package struct Fault: Sendable, CustomStringConvertible {
    package var kind: Kind
    package var hits: Selector

    package init(_ kind: Kind, _ hits: Selector = .files) {
        self.kind = kind
        self.hits = hits
    }

    package var description: String { "\(kind) of \(hits)" }

    /// A place in a reply.
    package enum Place: Hashable, Sendable {
        /// Before this byte of the head.
        case head(Int)
        /// Before this byte of the body.
        case body(Int)
    }

    package enum Kind: Sendable {
        // Ranges
        /// 200 with the whole file.
        case ignoresRange
        /// This `Content-Range`; `nil`: none.
        case contentRange(String?)
        /// `Content-Range` speaks of bytes so far from those that are sent.
        case shiftedContentRange(Int)
        /// The part that begins so far from the asked one, as long as that, with the head that it deserves.
        case otherRange(Int)
        /// `Content-Range` tells a whole length that is so much larger.
        case otherTotal(Int)
        /// 200 with the whole file, and a `Content-Range` of the asked bytes.
        case wholeWithContentRange
        /// 206 with the right head, and bytes from the file's start.
        case bodyFromStart
        /// 206 in several parts, though one was asked for.
        case multipart

        // Framing
        /// So many bytes fewer, in body and `Content-Length`.
        case shorter(Int)
        /// So many bytes more, in body and `Content-Length`.
        case longer(Int)
        /// Bytes behind the body that no length speaks of.
        case extraBytes(Int)
        /// Chunked, so that no field tells the length.
        case chunked
        /// Neither length nor chunks: the end of the connection is the body's.
        case unframed
        /// Two lengths that contradict each other.
        case twoLengths
        /// What comes is not HTTP.
        case notHTTP

        // Connections
        case close(Place)
        case reset(Place)
        /// Nothing more comes from there on, until the client goes away.
        case stall(Place)
        /// From there on so many bytes at a time, with so long a pause between them.
        case drip(Place, bytes: Int, milliseconds: UInt32)

        // Answers
        case status(Int, retryAfter: String? = nil)
        /// 401 with a challenge.
        case loginRequired
        /// 200 with a page that asks for a password.
        case loginPage
        /// `Content-Encoding: gzip`, and the body accordingly.
        case gzip
        case contentType(String?)
        case field(String, String)

        // Versions
        /// Other bytes of the same length, with tag and time of their own.
        case otherVersion
        /// A file that is so much longer, with tag and time of its own.
        case otherLength(Int)
        /// Another entity tag in each reply, though nothing changes.
        case changingEntityTag
        case weakEntityTag
        /// Neither entity tag nor time.
        case noValidator
        /// No entity tag, only the time.
        case noEntityTag
        /// Two entity tags in one reply.
        case twoEntityTags

        // HEAD
        /// HEAD tells this length.
        case headLength(Int)

        // Redirects
        /// To the same path below `base`, which has no slash at its end.
        case redirect(status: Int = 302, base: String)
        /// To exactly this place.
        case redirectTo(String)
        /// To itself, again and again.
        case redirectLoop

        // Listings
        /// What the server answers ends after so many hundredths of the listing, and its length says so, too.
        case truncated(percent: Int)
        case hrefs(HrefStyle)
        /// Each entry twice.
        case doubledEntries
        /// Entries of directories below, and of the directory above.
        case deeperEntries
        /// No response for the directory itself; on a page, no link upwards.
        case withoutItself
        /// The directory itself again and again, in several spellings.
        case itselfAgain
        /// The properties that a resource lacks come first, with their 404.
        case failedPropertiesFirst
        /// A multistatus without any response; a page without any link.
        case empty
        /// A 507 for the directory itself behind half of the entries (RFC 5323 §2.2).
        case insufficientStorage
        /// A document type with entities that grow without bounds.
        case entityBomb
        case manyEntries(Int)
        case dates(DateDialect)
        /// Listings tell no sizes.
        case withoutSizes
        /// Sizes as people read them: `1.2M`.
        case roundedSizes
        /// OPTIONS without a `DAV` field.
        case withoutDAVField
    }

    /// How a listing writes the places of its entries.
    package enum HrefStyle: String, Hashable, Sendable, CaseIterable {
        case absolutePath, relative, absoluteURL, otherHost, otherPort, networkPath, doublyEncoded, leastEncoded
    }
}
