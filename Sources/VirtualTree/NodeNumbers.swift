internal import Bytes
internal import SourceAPI

/// Inode numbers that say the same in every run: hashes of what a node is, not counters.
///
/// A file's number covers its version, so the kernel's page cache, which is kept by number, can never mix two versions. A directory's number covers
/// its place only: it may change what it lists and stays itself.
enum NodeNumbers {
    /// The root of a mount, as FUSE wants it.
    static let root: UInt64 = 1

    static func file(source: String, entry: RemoteEntry, revision: UInt64, attempt: UInt64 = 0) -> UInt64 {
        var hash = StableHash()
        hash.combine("file")
        hash.combine(source)
        hash.combine(entry.locator.text)
        combine(entry.size, into: &hash)
        combine(entry.modified.map { UInt64(bitPattern: $0.seconds) }, into: &hash)
        hash.combine(entry.entityTag == nil ? 0 as UInt64 : 1)
        hash.combine(entry.entityTag ?? "")
        hash.combine(revision)
        return usable(hash, attempt: attempt)
    }

    static func directory(source: String, locator: EntryLocator, attempt: UInt64 = 0) -> UInt64 {
        var hash = StableHash()
        hash.combine("directory")
        hash.combine(source)
        hash.combine(locator.text)
        return usable(hash, attempt: attempt)
    }

    private static func combine(_ number: UInt64?, into hash: inout StableHash) {
        hash.combine(number == nil ? 0 as UInt64 : 1)
        hash.combine(number ?? 0)
    }

    /// `attempt` counts the numbers that were found taken by another node. 0 means "no inode" to many programs, 1 is the root.
    private static func usable(_ hash: StableHash, attempt: UInt64) -> UInt64 {
        var hash = hash
        hash.combine(attempt)
        let value = hash.value
        return value > root ? value : value &+ 0x8000_0000_0000_0000
    }
}
