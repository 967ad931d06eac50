internal import Database
package import Diagnostics

package final class ChunkStore: @unchecked Sendable {
    private let monitor = Monitor()
    private var states: [String: ObjectState] = [:]
    private var currentLimits: CacheLimits

    package init(directory: String, limits: CacheLimits, log: Log) throws(CacheError) {
        currentLimits = limits
    }

    /// Opens or makes the object. Kept under another version, that one is retired first.
    package func open(key: String, version: ObjectVersion, label: ObjectLabel) throws(CacheError) -> CachedObject {
        monitor.locked {
            if let state = states[key], state.version == version { return CachedObject(state: state, store: self) }
            let state = ObjectState(key: key, version: version, label: label)
            states[key] = state
            return CachedObject(state: state, store: self)
        }
    }

    /// The object as it is kept, whatever its version, to export what is here; its order of use does not change.
    package func openKept(key: String) throws(CacheError) -> CachedObject? { nil }

    package func list() -> [CachedObjectSummary] { [] }
    package func show(key: String) -> CachedObjectSummary? { nil }
    package func verify(progress: (CacheVerification) -> Bool) -> CacheVerification { CacheVerification() }
    /// Returns: bytes freed
    @discardableResult package func drop(key: String) -> UInt64 { 0 }
    @discardableResult package func drop(source: String) -> UInt64 { 0 }
    @discardableResult package func clear() -> UInt64 { 0 }
    package var limits: CacheLimits { monitor.locked { currentLimits } }
    package func setLimits(_ limits: CacheLimits) { monitor.locked { currentLimits = limits } }
    package var statistics: CacheStatistics { CacheStatistics(limits: limits) }
    /// Waits until everything written so far is stored.
    package func flush() {}
    package func close() {}

    func retire(_ state: ObjectState) { monitor.locked { if states[state.key] === state { states[state.key] = nil } } }
    func closed(_ object: CachedObject) {}
}
