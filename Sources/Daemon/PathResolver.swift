internal import Configuration
internal import ControlProtocol
internal import Diagnostics
internal import FuseAdapter
internal import Synchronization
internal import VirtualTree

/// Finds what a path of a command means: below a mount of this daemon, or `SOURCE/PATH` among the configured sources.
final class PathResolver: Sendable {
    private let sources: SourceRegistry
    private let mounts: MountRegistry

    init(sources: SourceRegistry, mounts: MountRegistry) {
        self.sources = sources
        self.mounts = mounts
    }

    /// A tree and a path in it.
    struct Place: Sendable {
        let tree: VirtualTree
        /// Shown names joined by `/`.
        let path: String
        /// The name to give to what is copied when the path is a root.
        let rootName: String
    }

    func place(_ reference: PathReference) throws(ControlError) -> Place {
        // The innermost mount counts when one is mounted inside another.
        let inside = mounts.all.compactMap { mount in
            reference.below(mountPoint: mount.mount.mountPoint).map { (mount: mount, path: $0) }
        }.max { $0.mount.mount.mountPoint.utf8.count < $1.mount.mount.mountPoint.utf8.count }
        if let inside {
            let last = inside.mount.mount.mountPoint.split(separator: "/").last.map(String.init) ?? "root"
            return Place(tree: inside.mount.tree, path: inside.path, rootName: last)
        }
        guard let (name, path) = reference.sourceAndPath else {
            throw ControlError(
                .notFound, "\(reference.given) is in no mount of this daemon", advice: "give a path below a mount point, or SOURCE/PATH")
        }
        if let active = sources.configured(name) {
            return Place(tree: VirtualTree(root: .shelf(active.shelf), log: .silent), path: path, rootName: name.text)
        }
        throw ControlError(.notFound, "there is no source \(name.text)", advice: "see: reelfs list")
    }

    func resolve(_ reference: PathReference) async throws(ControlError) -> (place: Place, entry: ResolvedEntry) {
        let place = try place(reference)
        do throws(TreeError) { return (place, try await place.tree.resolve(place.path)) } catch {
            var failure = ControlError(error)
            failure.message = "\(reference.given): \(failure.message)"
            throw failure
        }
    }
}
