package import Configuration

/// What `reelfs status` shows and `--json` prints. URLs are public ones; no secrets.
package struct StatusReport: Hashable, Sendable, Codable {
    package var daemon: DaemonStatus
    package var mounts: [MountStatus]
    package var sources: [SourceStatus]
    package var openFiles: [OpenFileStatus]
    package var cache: CacheStatus
    package var transfer: TransferStatus

    package init(daemon: DaemonStatus, mounts: [MountStatus], sources: [SourceStatus], openFiles: [OpenFileStatus], cache: CacheStatus,
        transfer: TransferStatus
    ) {
        self.daemon = daemon
        self.mounts = mounts
        self.sources = sources
        self.openFiles = openFiles
        self.cache = cache
        self.transfer = transfer
    }
}

package struct DaemonStatus: Hashable, Sendable, Codable {
    package var processID: Int32
    package var version: String
    package var uptimeSeconds: UInt64
    package var cacheDirectory: String
    package var configurationDirectory: String
    /// Resident memory, in bytes.
    package var residentBytes: UInt64?

    package init(processID: Int32, version: String, uptimeSeconds: UInt64, cacheDirectory: String, configurationDirectory: String,
        residentBytes: UInt64? = nil
    ) {
        self.processID = processID
        self.version = version
        self.uptimeSeconds = uptimeSeconds
        self.cacheDirectory = cacheDirectory
        self.configurationDirectory = configurationDirectory
        self.residentBytes = residentBytes
    }
}

package struct MountStatus: Hashable, Sendable, Codable {
    package var mountPoint: String
    /// The names of its sources, in order.
    package var sources: [String]
    /// Whether its one source is the root, not a directory in it.
    package var isSingleRoot: Bool
    package var options: [String]
    package var openFiles: UInt64
    package var openDirectories: UInt64

    package init(mountPoint: String, sources: [String], isSingleRoot: Bool, options: [String], openFiles: UInt64 = 0, openDirectories: UInt64 = 0) {
        self.mountPoint = mountPoint
        self.sources = sources
        self.isSingleRoot = isSingleRoot
        self.options = options
        self.openFiles = openFiles
        self.openDirectories = openDirectories
    }
}

package struct SourceStatus: Hashable, Sendable, Codable {
    package enum Health: String, Hashable, Sendable, Codable {
        /// Not asked yet.
        case unknown
        case good
        /// Answers, but something failed lately or a listing is stale.
        case degraded
        /// Does not answer: requests fail at once until it does again.
        case down
    }

    package var name: String
    /// `nil`: not found out yet.
    package var type: SourceType?
    package var url: String
    package var health: Health
    /// Why it is not good, on one line.
    package var detail: String?
    /// When a directory was last listed, in seconds since 1970.
    package var listedAt: Int64?
    package var openFiles: UInt64
    package var requests: UInt64
    package var failures: UInt64
    package var bytesReceived: UInt64
    package var bytesPerSecond: UInt64

    package init(name: String, type: SourceType?, url: String, health: Health, detail: String? = nil, listedAt: Int64? = nil, openFiles: UInt64 = 0,
        requests: UInt64 = 0, failures: UInt64 = 0, bytesReceived: UInt64 = 0, bytesPerSecond: UInt64 = 0
    ) {
        self.name = name
        self.type = type
        self.url = url
        self.health = health
        self.detail = detail
        self.listedAt = listedAt
        self.openFiles = openFiles
        self.requests = requests
        self.failures = failures
        self.bytesReceived = bytesReceived
        self.bytesPerSecond = bytesPerSecond
    }
}

package struct OpenFileStatus: Hashable, Sendable, Codable {
    package var source: String
    package var path: String
    package var size: UInt64
    package var cachedBytes: UInt64
    package var handles: UInt64
    package var bytesPerSecond: UInt64

    package init(source: String, path: String, size: UInt64, cachedBytes: UInt64, handles: UInt64 = 1, bytesPerSecond: UInt64 = 0) {
        self.source = source
        self.path = path
        self.size = size
        self.cachedBytes = cachedBytes
        self.handles = handles
        self.bytesPerSecond = bytesPerSecond
    }
}

package struct CacheStatus: Hashable, Sendable, Codable {
    package var directory: String
    package var bytes: UInt64
    package var maximumBytes: UInt64
    package var minimumFreeBytes: UInt64
    package var diskFreeBytes: UInt64
    package var objects: UInt64
    /// Reads answered from the cache, and reads that had to fetch, since the daemon started.
    package var hits: UInt64
    package var misses: UInt64
    package var hitBytes: UInt64
    package var missBytes: UInt64
    /// Blocks that failed their check.
    package var damagedBlocks: UInt64
    /// Why nothing is kept just now (disk full, read-only), else `nil`.
    package var fault: String?

    package init(directory: String, bytes: UInt64, maximumBytes: UInt64, minimumFreeBytes: UInt64, diskFreeBytes: UInt64, objects: UInt64,
        hits: UInt64 = 0, misses: UInt64 = 0, hitBytes: UInt64 = 0, missBytes: UInt64 = 0, damagedBlocks: UInt64 = 0, fault: String? = nil
    ) {
        self.directory = directory
        self.bytes = bytes
        self.maximumBytes = maximumBytes
        self.minimumFreeBytes = minimumFreeBytes
        self.diskFreeBytes = diskFreeBytes
        self.objects = objects
        self.hits = hits
        self.misses = misses
        self.hitBytes = hitBytes
        self.missBytes = missBytes
        self.damagedBlocks = damagedBlocks
        self.fault = fault
    }
}

package struct TransferStatus: Hashable, Sendable, Codable {
    package var requests: UInt64
    package var bytesReceived: UInt64
    package var errors: UInt64
    package var openConnections: UInt64
    package var bytesReceivedPerSecond: UInt64
    /// What programs read through the mounts.
    package var bytesReadPerSecond: UInt64

    package init(requests: UInt64, bytesReceived: UInt64, errors: UInt64, openConnections: UInt64, bytesReceivedPerSecond: UInt64,
        bytesReadPerSecond: UInt64
    ) {
        self.requests = requests
        self.bytesReceived = bytesReceived
        self.errors = errors
        self.openConnections = openConnections
        self.bytesReceivedPerSecond = bytesReceivedPerSecond
        self.bytesReadPerSecond = bytesReadPerSecond
    }
}

/// One object of the cache.
package struct CachedObjectStatus: Hashable, Sendable, Codable {
    package var source: String
    package var path: String
    package var size: UInt64
    package var cachedBytes: UInt64
    /// Seconds since 1970.
    package var lastUsed: Int64
    package var isOpen: Bool

    package init(source: String, path: String, size: UInt64, cachedBytes: UInt64, lastUsed: Int64, isOpen: Bool) {
        self.source = source
        self.path = path
        self.size = size
        self.cachedBytes = cachedBytes
        self.lastUsed = lastUsed
        self.isOpen = isOpen
    }
}

package struct CachedObjectDetail: Hashable, Sendable, Codable {
    /// Half-open ranges of bytes that are here, in order, joined where they touch.
    package var ranges: [Span]
    /// What identifies the version (size, validator), for people.
    package var version: String
    /// Bytes on disk.
    package var diskBytes: UInt64

    package struct Span: Hashable, Sendable, Codable {
        package var start: UInt64
        package var end: UInt64

        package init(start: UInt64, end: UInt64) {
            self.start = start
            self.end = end
        }
    }

    package init(ranges: [Span], version: String, diskBytes: UInt64) {
        self.ranges = ranges
        self.version = version
        self.diskBytes = diskBytes
    }
}
