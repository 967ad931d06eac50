internal import Configuration
internal import ControlProtocol
internal import Diagnostics
internal import FuseAdapter
internal import Synchronization
internal import VirtualTree

/// The mounts of this daemon. Its calls block: not for the cooperative pool.
final class MountRegistry: Sendable {
    private let sources: SourceRegistry
    private let log: Log
    private let whenChanged: @Sendable () -> Void
    private let state = Mutex(State())

    private struct State: Sendable {
        var mounts: [Mount] = []
        /// Being made; a mount point appears once.
        var pending: Set<String> = []
        var isClosed = false
    }

    /// One mount and what it shows.
    final class Mount: Sendable {
        let mount: FuseMount
        let tree: VirtualTree
        let content: MountRequest.Content
        let options: [String]
        /// Brought by this mount: they go with it.
        let inline: [ActiveSource]

        init(mount: FuseMount, tree: VirtualTree, content: MountRequest.Content, options: [String], inline: [ActiveSource]) {
            self.mount = mount
            self.tree = tree
            self.content = content
            self.options = options
            self.inline = inline
        }

        var isSingleRoot: Bool {
            switch content {
            case .configured: false
            case .named(let names): names.count == 1
            case .inline(let sources): sources.count == 1
            }
        }

        var status: MountStatus {
            let statistics = mount.statistics
            return MountStatus(
                mountPoint: mount.mountPoint, sources: tree.shelves.map(\.name), isSingleRoot: isSingleRoot, options: options,
                openFiles: UInt64(max(0, statistics.openFiles)), openDirectories: UInt64(max(0, statistics.openDirectories)))
        }
    }

    init(sources: SourceRegistry, log: Log, whenChanged: @escaping @Sendable () -> Void) {
        self.sources = sources
        self.log = log
        self.whenChanged = whenChanged
    }

    var all: [Mount] { state.withLock { $0.mounts } }

    /// Mounts; the mount answers when it returns.
    func mount(_ request: MountRequest) throws(ControlError) -> Mount {
        let options: MountOptions
        do throws(MountError) {
            var parsed = try MountOptions.parse(request.options.joined(separator: ","))
            if parsed.fsName == "reelfs" { parsed.fsName = fileSystemName(request.content) }
            options = parsed
        } catch {
            throw ControlError(error)
        }
        let isFree = state.withLock { state in !state.isClosed && state.pending.insert(request.mountPoint).inserted }
        guard isFree else { throw ControlError(.busy, "\(request.mountPoint) is being mounted", advice: "see: reelfs status") }
        defer { state.withLock { _ = $0.pending.remove(request.mountPoint) } }

        let (root, inline) = try root(of: request.content)
        let tree = VirtualTree(root: root, log: log)
        do throws(MountError) {
            let fuse = try FuseMount(tree: tree, mountPoint: request.mountPoint, options: options, log: log)
            let mount = Mount(mount: fuse, tree: tree, content: request.content, options: request.options, inline: inline)
            fuse.onEnd { [weak self, weak mount] in
                guard let self, let mount else { return }
                log.write(.notice, "mount", "unmounted from outside", ["mountpoint": mount.mount.mountPoint])
                remove(mount)
            }
            try fuse.start()
            let isWanted = state.withLock { state in
                if !state.isClosed { state.mounts.append(mount) }
                return !state.isClosed
            }
            guard isWanted else {
                try? fuse.unmount(lazy: true)
                sources.release(inline)
                throw MountError(.failed, "the daemon stops")
            }
            // It may have been unmounted between the start and the entry in the list.
            if !fuse.isMounted { remove(mount) }
            log.write(.notice, "mount", "mounted", ["mountpoint": fuse.mountPoint, "sources": tree.shelves.map(\.name).joined(separator: ",")])
            whenChanged()
            return mount
        } catch {
            sources.release(inline)
            throw ControlError(error)
        }
    }

    /// Unmounts one, or all: cleanly, and lazily when it is busy.
    ///
    /// - Returns: mount points that are gone, and those among them that were busy.
    func unmount(_ target: UnmountTarget, lazy: Bool) throws(ControlError) -> (mountPoints: [String], lazy: [String]) {
        let chosen: [Mount]
        switch target {
        case .all: chosen = all
        case .mountPoint(let path):
            chosen = all.filter { $0.mount.mountPoint == path }
            guard !chosen.isEmpty else { throw ControlError(.notFound, "\(path) is not a mount of this daemon", advice: "see: reelfs status") }
        }
        var busy: [String] = []
        for mount in chosen {
            do throws(MountError) {
                do throws(MountError) { try mount.mount.unmount(lazy: lazy) } catch {
                    guard error.code == .busy else { throw error }
                    busy.append(mount.mount.mountPoint)
                    try mount.mount.unmount(lazy: true)
                }
            } catch {
                guard !mount.mount.isMounted else { throw ControlError(error) }
                log.write(.warning, "mount", error.description, ["mountpoint": mount.mount.mountPoint])
            }
            log.write(.notice, "mount", "unmounted", ["mountpoint": mount.mount.mountPoint])
            remove(mount)
        }
        return (chosen.map(\.mount.mountPoint), busy)
    }

    /// The configuration was read again: mounts show what it has now.
    func followSources() {
        for mount in all {
            switch mount.content {
            case .configured: mount.tree.setShelves(sources.configured.map(\.shelf))
            case .named(let names): mount.tree.setShelves(names.compactMap { sources.configured($0)?.shelf })
            case .inline: break
            }
        }
    }

    /// Unmounts everything, busy or not; nothing is mounted afterwards.
    func close() {
        state.withLock { $0.isClosed = true }
        for mount in all {
            do throws(MountError) { try mount.mount.unmount(lazy: true, always: true) } catch {
                log.write(.warning, "mount", error.description, ["mountpoint": mount.mount.mountPoint])
            }
            remove(mount)
        }
    }

    private func remove(_ mount: Mount) {
        let isFirst = state.withLock { state in
            let count = state.mounts.count
            state.mounts.removeAll { $0 === mount }
            return state.mounts.count < count
        }
        guard isFirst else { return }
        sources.release(mount.inline)
        whenChanged()
    }

    private func root(of content: MountRequest.Content) throws(ControlError) -> (VirtualTree.Root, [ActiveSource]) {
        switch content {
        case .configured: return (.directory(sources.configured.map(\.shelf)), [])
        case .named(let names):
            var chosen: [SourceShelf] = []
            for name in names {
                guard let active = sources.configured(name) else {
                    throw ControlError(.notFound, "there is no source \(name.text)", advice: "see: reelfs list")
                }
                chosen.append(active.shelf)
            }
            return (chosen.count == 1 ? .shelf(chosen[0]) : .directory(chosen), [])
        case .inline(let inline):
            guard !inline.isEmpty else { throw ControlError(.invalid, "nothing to mount") }
            let brought = inline.map { sources.bring($0.source) }
            return (brought.count == 1 ? .shelf(brought[0].shelf) : .directory(brought.map(\.shelf)), brought)
        }
    }

    private func fileSystemName(_ content: MountRequest.Content) -> String {
        switch content {
        case .configured: "reelfs"
        case .named(let names): names.map(\.text).joined(separator: ",")
        case .inline(let sources): sources.count == 1 ? sources[0].source.publicURL : sources.map(\.source.name.text).joined(separator: ",")
        }
    }
}
