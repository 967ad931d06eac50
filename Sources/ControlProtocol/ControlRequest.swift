package import Configuration

/// What a command asks the daemon. One JSON value on one line; `ControlMessage` wraps it with the version.
package enum ControlRequest: Hashable, Sendable, Codable {
    /// Who is there? Answered by `.hello`.
    case hello
    /// Answered by `.mounted` once the mount answers.
    case mount(request: MountRequest)
    /// Answered by `.unmounted`.
    case unmount(target: UnmountTarget, lazy: Bool)
    /// Answered by `.mounts`.
    case mounts
    /// The configuration changed: read it again and follow, in running mounts too. Answered by `.done`.
    case sourcesChanged
    /// Answered by `.status`. With an interval the answer never comes: a `.status` event is sent each time until the client goes.
    case status(everyMilliseconds: UInt32?)
    /// Objects of the cache, least recently used first, without touching that order. `nil`: all. Answered by `.cacheObjects`.
    case cacheList(path: PathReference?)
    /// Answered by `.cacheObject`.
    case cacheShow(path: PathReference)
    /// Reads blocks back and checks them; `.progress` events. `nil`: all. Answered by `.verified`.
    case cacheVerify(path: PathReference?)
    /// Forgets the bytes of what is named, except what is being read. Answered by `.freed`.
    case cacheDrop(paths: [PathReference])
    /// Forgets all bytes, except what is being read. Answered by `.freed`.
    case cacheClear
    /// Sets what is not `nil`, for now and (by the command line, in `reelfs.toml`) for later. Answered by `.limits`.
    case cacheLimit(maximumBytes: UInt64?, minimumFreeBytes: UInt64?)
    /// Writes what is whole in the cache to a directory, without the network. Answered by `.fetched`.
    case cacheExport(paths: [PathReference], directory: String)
    /// Fetches files and whole directories into the cache; with a directory the daemon writes them there, as its own user, each under
    /// `.NAME.part` until it is whole, never through a symbolic link. `.progress` events. Answered by `.fetched`.
    case get(paths: [PathReference], directory: String?)
    /// Lists again now. `nil`: every directory that is known. Answered by `.refreshed`.
    case refresh(path: PathReference?)
    /// The source was removed. With `purge` its bytes and listings go too. Answered by `.freed`.
    case forget(source: SourceName, purge: Bool)
    /// Asks every source, or those named, whether it answers. Answered by `.checks`.
    case check(sources: [SourceName])
    /// Unmount everything and end. Answered by `.done` before the daemon ends.
    case stop
}

/// A path as the user gave it: inside a mount (`absolute` is what counts then), or `SOURCE/PATH` (`given`).
package struct PathReference: Hashable, Sendable, Codable {
    package var given: String
    /// `given` made absolute with the working directory of the command; `.` and `..` and repeated `/` are resolved by text. Symbolic links are not.
    package var absolute: String

    package init(given: String, absolute: String) {
        self.given = given
        self.absolute = absolute
    }

    /// What is left of the path below a mount point, without `/` at either end (empty: the mount's root); `nil`: the path is elsewhere.
    package func below(mountPoint: String) -> String? {
        if absolute == mountPoint { return "" }
        let prefix = mountPoint.hasSuffix("/") ? mountPoint : mountPoint + "/"
        guard absolute.utf8.starts(with: prefix.utf8) else { return nil }
        return String(absolute.dropFirst(prefix.count))
    }

    /// `SOURCE/PATH` taken apart; `nil` when it begins with `/` or `.` or its first part is no source's name. The path has no `/` at either end.
    package var sourceAndPath: (source: SourceName, path: String)? {
        let parts = given.split(separator: "/", omittingEmptySubsequences: true)
        guard !given.hasPrefix("/"), let first = parts.first, !parts.contains(".."), !parts.contains("."), let name = SourceName(String(first)) else {
            return nil
        }
        return (name, parts.dropFirst().joined(separator: "/"))
    }
}

package struct MountRequest: Hashable, Sendable, Codable {
    /// What is mounted.
    package enum Content: Hashable, Sendable, Codable {
        /// All configured sources, a directory each, following changes.
        case configured
        /// These configured sources: one is the root of the mount, several a directory each.
        case named(names: [SourceName])
        /// Sources that are not configured, for this mount only. One is the root, several a directory each.
        case inline(sources: [InlineSource])
    }

    package var content: Content
    /// Absolute.
    package var mountPoint: String
    /// As after `-o`, not yet parsed: `allow_other`, `uid=1000`…
    package var options: [String]

    package init(content: Content, mountPoint: String, options: [String] = []) {
        self.content = content
        self.mountPoint = mountPoint
        self.options = options
    }
}

package enum UnmountTarget: Hashable, Sendable, Codable {
    /// Absolute.
    case mountPoint(path: String)
    case all
}
