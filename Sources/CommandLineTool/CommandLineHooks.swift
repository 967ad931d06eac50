package import Configuration
package import ControlProtocol
package import Diagnostics
package import OriginReport

/// What the command line cannot do itself, because it may not import the modules that can: given by `main.swift`.
package struct CommandLineHooks: Sendable {
    /// Runs the daemon in this process until it ends; called on the main thread, which it may block. The result is the exit status.
    package var runDaemon: @Sendable (DaemonOptions) -> Int32
    /// Serves the built-in drive in this process until a signal; the result is the exit status.
    package var runDemo: @Sendable (DemoOptions) -> Int32
    /// Answers `cache…`, `forget` and `check` requests without a daemon; called on the main thread, which it may block. Holds the lock of the
    /// cache directory while it works: `.busy` when a daemon has it.
    package var offline: @Sendable (OfflineOptions, ControlRequest, (ControlEvent) -> Void) throws(ControlError) -> ControlAnswer
    /// Asks the server of a source, in this process; called on the main thread, which it may block. The last parameter is told what is
    /// being asked.
    package var selfTest: @Sendable (ConfiguredSource, @escaping @Sendable (String) -> Void) -> OriginReport
    /// Libraries and their versions, for `doctor`: `("libcurl", "7.88.1")`.
    package var libraries: @Sendable () -> [(name: String, version: String)]

    package init(
        runDaemon: @escaping @Sendable (DaemonOptions) -> Int32, runDemo: @escaping @Sendable (DemoOptions) -> Int32,
        offline: @escaping @Sendable (OfflineOptions, ControlRequest, (ControlEvent) -> Void) throws(ControlError) -> ControlAnswer,
        selfTest: @escaping @Sendable (ConfiguredSource, @escaping @Sendable (String) -> Void) -> OriginReport,
        libraries: @escaping @Sendable () -> [(name: String, version: String)] = { [] }
    ) {
        self.runDaemon = runDaemon
        self.runDemo = runDemo
        self.offline = offline
        self.selfTest = selfTest
        self.libraries = libraries
    }
}

/// How a daemon is run. Paths are absolute. Limits and level that are `nil` come from `reelfs.toml`, then from defaults.
package struct DaemonOptions: Hashable, Sendable {
    package enum Style: Hashable, Sendable {
        /// Started by a command: no terminal, messages to the standard error, which is a log file.
        case background
        /// `mount -f`, or `daemon` typed by a person. SIGINT unmounts and ends it.
        case foreground
        /// Tells the service manager when it is ready (`NOTIFY_SOCKET`); no times in its messages.
        case systemd
    }

    package var cacheDirectory: String
    package var configurationDirectory: String
    package var cacheSize: CacheSize?
    package var minimumFree: UInt64?
    package var logLevel: Log.Level?
    package var style: Style
    /// Ends by itself when nothing is mounted, nothing is being fetched and no command is connected (after a grace of some seconds).
    package var endsWhenIdle: Bool
    /// Made before it is ready; one that fails ends the daemon with `ExitCode.mountFailed` (32).
    package var mounts: [MountRequest]
    /// Of the process: `SocketLocation.candidates` says with it where commands look for the daemon; it listens at the first place.
    package var environment: [String: String]

    package init(
        cacheDirectory: String, configurationDirectory: String, cacheSize: CacheSize? = nil, minimumFree: UInt64? = nil,
        logLevel: Log.Level? = nil, style: Style, endsWhenIdle: Bool, mounts: [MountRequest] = [], environment: [String: String]
    ) {
        self.cacheDirectory = cacheDirectory
        self.configurationDirectory = configurationDirectory
        self.cacheSize = cacheSize
        self.minimumFree = minimumFree
        self.logLevel = logLevel
        self.style = style
        self.endsWhenIdle = endsWhenIdle
        self.mounts = mounts
        self.environment = environment
    }
}

package struct DemoOptions: Hashable, Sendable {
    /// `nil`: a directory made below the temporary directory. Not used when `servesOnly`.
    package var mountPoint: String?
    /// Files to serve; `nil`: the built-in ones.
    package var tree: String?
    /// 0: a free port.
    package var port: UInt16
    package var servesOnly: Bool
    package var environment: [String: String]

    package init(mountPoint: String?, tree: String?, port: UInt16, servesOnly: Bool, environment: [String: String]) {
        self.mountPoint = mountPoint
        self.tree = tree
        self.port = port
        self.servesOnly = servesOnly
        self.environment = environment
    }
}

/// For requests that are answered without a daemon.
package struct OfflineOptions: Hashable, Sendable {
    package var cacheDirectory: String
    package var configurationDirectory: String
    /// As configured; `nil`: defaults.
    package var cacheSize: CacheSize?
    package var minimumFree: UInt64?

    package init(cacheDirectory: String, configurationDirectory: String, cacheSize: CacheSize? = nil, minimumFree: UInt64? = nil) {
        self.cacheDirectory = cacheDirectory
        self.configurationDirectory = configurationDirectory
        self.cacheSize = cacheSize
        self.minimumFree = minimumFree
    }
}
