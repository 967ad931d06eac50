/// One line from the daemon: any number of events, then exactly one answer or failure.
package enum ControlReply: Hashable, Sendable, Codable {
    case event(event: ControlEvent)
    case answer(answer: ControlAnswer)
    case failure(error: ControlError)
}

/// What happens while a request is worked on.
package enum ControlEvent: Hashable, Sendable, Codable {
    case progress(progress: TransferProgress)
    case status(report: StatusReport)
    /// A line for the user: a file that failed while others go on.
    case note(text: String)
}

/// The result of a request that succeeded.
package enum ControlAnswer: Hashable, Sendable, Codable {
    case done
    case hello(hello: DaemonHello)
    case mounted(mount: MountStatus)
    /// `lazy` lists those that were busy and are detached: they go when the last program closes its files.
    case unmounted(mountPoints: [String], lazy: [String])
    case mounts(mounts: [MountStatus])
    case status(report: StatusReport)
    case cacheObjects(objects: [CachedObjectStatus])
    case cacheObject(object: CachedObjectStatus, detail: CachedObjectDetail)
    case verified(report: VerifyReport)
    case freed(bytes: UInt64, objects: UInt64, keptInUse: UInt64)
    case limits(cache: CacheStatus)
    case fetched(report: FetchReport)
    case refreshed(directories: UInt64, failures: [ItemFailure])
    case checks(findings: [Finding])
}

/// Why a request failed: a code to branch on, words for people (no secrets, one line), and what to do.
package struct ControlError: Error, Hashable, Sendable, Codable {
    package enum Code: String, Hashable, Sendable, Codable {
        /// The daemon does not understand the request: another version, or not a request.
        case protocolMismatch
        case malformed
        case notFound
        case alreadyExists
        case invalid
        case denied
        case busy
        /// A mount could not be made or removed.
        case mountFailed
        /// An origin did not give what was asked.
        case sourceFailed
        case cacheFailed
        case notSupported
        /// Nobody listens on the socket.
        case notRunning
        case timedOut
        case cancelled
        case connectionLost
        case unsafe
        case internalFault
    }

    package var code: Code
    package var message: String
    package var advice: String?

    package init(_ code: Code, _ message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }
}

extension ControlError: CustomStringConvertible {
    package var description: String { advice.map { "\(message): \($0)" } ?? message }
}

package struct DaemonHello: Hashable, Sendable, Codable {
    package var protocolVersion: Int
    package var programVersion: String
    package var processID: Int32
    package var cacheDirectory: String
    package var configurationDirectory: String

    package init(protocolVersion: Int = ControlMessage.version, programVersion: String, processID: Int32, cacheDirectory: String,
        configurationDirectory: String
    ) {
        self.protocolVersion = protocolVersion
        self.programVersion = programVersion
        self.processID = processID
        self.cacheDirectory = cacheDirectory
        self.configurationDirectory = configurationDirectory
    }
}

/// How far a transfer or a check is.
package struct TransferProgress: Hashable, Sendable, Codable {
    /// The file being worked on, as a person would name it; empty while looking for files.
    package var item: String
    package var itemsDone: UInt64
    /// `nil` while directories are still being listed.
    package var itemsTotal: UInt64?
    package var bytesDone: UInt64
    package var bytesTotal: UInt64?
    package var bytesPerSecond: UInt64

    package init(item: String, itemsDone: UInt64, itemsTotal: UInt64?, bytesDone: UInt64, bytesTotal: UInt64?, bytesPerSecond: UInt64) {
        self.item = item
        self.itemsDone = itemsDone
        self.itemsTotal = itemsTotal
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
        self.bytesPerSecond = bytesPerSecond
    }
}

package struct ItemFailure: Hashable, Sendable, Codable {
    package var item: String
    package var message: String
    package var advice: String?

    package init(item: String, message: String, advice: String? = nil) {
        self.item = item
        self.message = message
        self.advice = advice
    }
}

/// What `get` and `cache export` did.
package struct FetchReport: Hashable, Sendable, Codable {
    package var files: UInt64
    package var bytes: UInt64
    /// Of `bytes`: what was there already.
    package var bytesAlreadyThere: UInt64
    package var failures: [ItemFailure]

    package init(files: UInt64, bytes: UInt64, bytesAlreadyThere: UInt64, failures: [ItemFailure]) {
        self.files = files
        self.bytes = bytes
        self.bytesAlreadyThere = bytesAlreadyThere
        self.failures = failures
    }
}

package struct VerifyReport: Hashable, Sendable, Codable {
    package var objects: UInt64
    package var blocks: UInt64
    package var bytes: UInt64
    /// Failed their check; they are gone now and will be fetched again.
    package var damagedBlocks: UInt64

    package init(objects: UInt64, blocks: UInt64, bytes: UInt64, damagedBlocks: UInt64) {
        self.objects = objects
        self.blocks = blocks
        self.bytes = bytes
        self.damagedBlocks = damagedBlocks
    }
}

/// One result of `doctor`.
package struct Finding: Hashable, Sendable, Codable {
    package enum Level: String, Hashable, Sendable, Codable {
        case good, note, warning, fault
    }

    package var level: Level
    /// `fuse device`, `source cloud`…
    package var subject: String
    package var message: String
    /// What to do about it.
    package var advice: String?

    package init(_ level: Level, _ subject: String, _ message: String, advice: String? = nil) {
        self.level = level
        self.subject = subject
        self.message = message
        self.advice = advice
    }
}
