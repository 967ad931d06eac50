package import Diagnostics

/// What holds for the whole daemon: the content of `reelfs.toml`. Everything is optional.
package struct Settings: Hashable, Sendable {
    /// Absolute; `nil`: `StandardDirectories.cache`.
    package var cacheDirectory: String?
    package var cacheSize: CacheSize?
    /// Bytes of the disk that the cache leaves free.
    package var minimumFree: UInt64?
    package var logLevel: Log.Level?
    /// Where `reelfs daemon` and the systemd unit mount the configured sources; `nil`: nowhere.
    package var mountPoint: String?

    package static let defaultMinimumFree: UInt64 = 1 << 30

    package init() {}

    /// 10 % of the disk, but at least 2 GiB and at most 50 GiB.
    package static func defaultCacheSize(diskBytes: UInt64) -> UInt64 { min(max(diskBytes / 10, 2 << 30), 50 << 30) }

    /// - Parameter diskBytes: the size of the filesystem that holds the cache.
    package func cacheBytes(diskBytes: UInt64) -> UInt64 {
        switch cacheSize {
        case nil: Self.defaultCacheSize(diskBytes: diskBytes)
        case .bytes(let bytes): bytes
        case .percent(let share): diskBytes / 100 * UInt64(share)
        }
    }

    var tomlEntries: [(key: String, value: TomlValue?)] {
        [
            ("cache_directory", cacheDirectory.map(TomlValue.string)),
            ("cache_size", cacheSize.map { .string($0.text) }),
            ("minimum_free", minimumFree.map { .string(String($0)) }),
            ("log_level", logLevel.map { .string("\($0)") }),
            ("mount_point", mountPoint.map(TomlValue.string)),
        ]
    }

    static func read(_ document: TomlDocument, path: String, home: String?, problems: inout [ConfigurationProblem]) -> Settings {
        var reader = TomlReader(document: document, path: path)
        var settings = Settings()
        settings.cacheDirectory = reader.path("cache_directory", home: home)
        settings.mountPoint = reader.path("mount_point", home: home)
        if let text = reader.sizeText("cache_size") {
            settings.cacheSize = CacheSize(text)
            if settings.cacheSize == nil { reader.report(.invalidValue, "cache_size", "not a size", advice: "\"50G\", \"800M\" or \"10%\"") }
        }
        if let text = reader.sizeText("minimum_free") {
            settings.minimumFree = ByteSize.parse(text)
            if settings.minimumFree == nil { reader.report(.invalidValue, "minimum_free", "not a size", advice: "\"1G\" or \"800M\"") }
        }
        if let text = reader.string("log_level") {
            settings.logLevel = Log.Level(named: text)
            if settings.logLevel == nil {
                reader.report(.invalidValue, "log_level", "no such level", advice: Log.Level.allCases.map { "\($0)" }.joined(separator: ", "))
            }
        }
        reader.reportUnknownKeys()
        problems += reader.problems
        return settings
    }
}

/// How much the cache may take.
package enum CacheSize: Hashable, Sendable {
    case bytes(UInt64)
    /// Of the filesystem that holds the cache; 1 to 100.
    case percent(UInt8)

    /// `50G`, `4096`, `10%`; `nil`: none of these.
    package init?(_ text: String) {
        if text.hasSuffix("%") {
            guard let share = UInt8(text.dropLast()), (1...100).contains(share) else { return nil }
            self = .percent(share)
        } else {
            guard let bytes = ByteSize.parse(text), bytes > 0 else { return nil }
            self = .bytes(bytes)
        }
    }

    package var text: String {
        switch self {
        case .bytes(let bytes): String(bytes)
        case .percent(let share): "\(share)%"
        }
    }
}

extension Log.Level {
    /// `debug`, `info`, `notice`, `warning`, `error`.
    package init?(named text: String) {
        guard let level = Self.allCases.first(where: { "\($0)" == text }) else { return nil }
        self = level
    }
}

extension TomlReader {
    fileprivate mutating func path(_ key: String, home: String?) -> String? {
        guard var text = string(key) else { return nil }
        if let home, text == "~" || text.hasPrefix("~/") { text = home + text.dropFirst() }
        guard text.hasPrefix("/") else {
            report(.invalidValue, key, "not an absolute path", advice: "it begins with / or ~/")
            return nil
        }
        return text
    }

    /// A size may be written as a number of bytes or as a text.
    fileprivate mutating func sizeText(_ key: String) -> String? {
        if case .integer(let number)? = value(key) { return String(number) }
        return string(key)
    }
}
