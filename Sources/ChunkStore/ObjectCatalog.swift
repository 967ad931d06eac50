internal import Bytes
internal import CLinux
internal import Threads

/// Which objects there are: those with files, those that are open, and some that were open lately (so that their blocks
/// need not be checked again).
///
/// SAFETY: every variable is read and written under `monitor` only. It is held during the look at a header when an
/// object is opened, never during reads or writes of blocks.
final class ObjectCatalog: @unchecked Sendable {
    private let directory: String
    private let monitor = Monitor()
    /// What an open may find, newest last.
    private var findable: [KeyHash: [UInt64]] = [:]
    private var stored: [UInt64: (hash: KeyHash, allocated: UInt64)] = [:]
    private var resident: [UInt64: ObjectState] = [:]
    private var allocatedTotal: UInt64 = 0
    /// Generations that nobody had open, oldest first; some are open again.
    private var idle: [UInt64] = []
    private var isClosed = false

    /// Most idle objects, and most chunks of theirs (4.7 KiB each), that stay in memory.
    private static let idleObjects = 1024, idleChunks = 4096

    init(directory: String) { self.directory = directory }

    var allocated: UInt64 { monitor.locked { allocatedTotal } }
    var count: Int { monitor.locked { stored.count } }
    var residents: [ObjectState] { monitor.locked { Array(resident.values) } }
    var names: [ObjectName] { monitor.locked { stored.map { ObjectName(hash: $0.value.hash, generation: $0.key) } } }

    func close() { monitor.locked { isClosed = true } }

    // MARK: Opening

    struct Opening {
        var state: ObjectState
        var retired: [ObjectState] = []
        var damaged: [ObjectName] = []
    }

    func open(key: String, version: ObjectVersion, label: ObjectLabel) throws(CacheError) -> Opening {
        try monitor.locked { () throws(CacheError) in
            guard !isClosed else { throw CacheError(.closed, "the cache is closed") }
            let hash = KeyHash(key)
            var found: ObjectState?
            var retired: [ObjectState] = [], damaged: [ObjectName] = []
            for generation in (findable[hash] ?? []).reversed() {
                let name = ObjectName(hash: hash, generation: generation)
                guard let state = loaded(name) else {
                    damaged.append(name)
                    remove(name)
                    continue
                }
                guard state.key == key else { continue }
                if state.version == version, found == nil {
                    found = state
                } else {
                    retire(locked: state)
                    retired.append(state)
                }
            }
            let state = found ?? make(hash, key, version, label)
            state.handles += 1
            return Opening(state: state, retired: retired, damaged: damaged)
        }
    }

    /// The kept object of this key, whatever its version.
    func openKept(key: String) throws(CacheError) -> ObjectState? {
        try monitor.locked { () throws(CacheError) in
            guard !isClosed else { throw CacheError(.closed, "the cache is closed") }
            let hash = KeyHash(key)
            for generation in (findable[hash] ?? []).reversed() {
                if let state = loaded(ObjectName(hash: hash, generation: generation)), state.key == key {
                    state.handles += 1
                    return state
                }
            }
            return nil
        }
    }

    /// An object with files, opened for a look through it; `nil` when it is gone or its header is damaged.
    func open(_ name: ObjectName) -> ObjectState? {
        monitor.locked {
            guard !isClosed, stored[name.generation] != nil, let state = loaded(name) else { return nil }
            state.handles += 1
            return state
        }
    }

    private func make(_ hash: KeyHash, _ key: String, _ version: ObjectVersion, _ label: ObjectLabel) -> ObjectState {
        var generation: UInt64 = 0
        repeat {
            if withUnsafeMutableBytes(of: &generation, { reelfs_random($0.baseAddress, $0.count) }) != 0 { generation = .random(in: 1...(.max)) }
        } while generation == 0 || stored[generation] != nil || resident[generation] != nil
        let state = ObjectState(name: ObjectName(hash: hash, generation: generation), key: key, version: version, label: label, directory: directory)
        resident[generation] = state
        findable[hash, default: []].append(generation)
        return state
    }

    private func loaded(_ name: ObjectName) -> ObjectState? {
        if let state = resident[name.generation] { return state }
        guard let state = ObjectState(stored: name, directory: directory) else { return nil }
        resident[name.generation] = state
        idle.append(name.generation)
        return state
    }

    /// False when it was retired already.
    func retire(_ state: ObjectState) -> Bool {
        monitor.locked {
            if state.isRetired { return false }
            retire(locked: state)
            return true
        }
    }

    private func retire(locked state: ObjectState) {
        state.isRetired = true
        state.stopKeeping()
        hide(state.name)
    }

    private func hide(_ name: ObjectName) {
        findable[name.hash]?.removeAll { $0 == name.generation }
        if findable[name.hash]?.isEmpty == true { findable[name.hash] = nil }
    }

    // MARK: Closing

    /// Returns: whether that was the last handle.
    func release(_ state: ObjectState) -> Bool {
        monitor.locked {
            if state.handles > 0 { state.handles -= 1 }
            return state.handles == 0
        }
    }

    func isOpen(_ state: ObjectState) -> Bool { monitor.locked { state.handles > 0 } }

    /// Forgets the object unless somebody has it open or it waits to be stored. Its files are the caller's to remove.
    func removeIfUnused(_ name: ObjectName) -> Bool {
        monitor.locked {
            if let state = resident[name.generation] {
                guard state.handles == 0, !state.hasPending else { return false }
                state.isKnown = false
            }
            remove(name)
            return true
        }
    }

    private func remove(_ name: ObjectName) {
        hide(name)
        resident[name.generation] = nil
        if let entry = stored.removeValue(forKey: name.generation) { allocatedTotal -= min(allocatedTotal, entry.allocated) }
    }

    /// Keeps what is known of a closed object in memory, and lets go of the oldest such.
    func rest(_ state: ObjectState) {
        monitor.locked {
            guard state.handles == 0 else { return }
            state.closeFiles()
            idle.removeAll { $0 == state.name.generation || resident[$0] == nil }
            idle.append(state.name.generation)
            var chunks = idle.reduce(0) { $0 + (resident[$1]?.residentChunks ?? 0) }
            while let first = idle.first, idle.count > ObjectCatalog.idleObjects || chunks > ObjectCatalog.idleChunks {
                idle.removeFirst()
                guard let old = resident[first], old.handles == 0, !old.hasPending else { continue }
                chunks -= old.residentChunks
                resident[first] = nil
            }
        }
    }

    // MARK: Accounts

    /// Enters an object that was found on disk.
    func add(_ name: ObjectName, allocated: UInt64) {
        monitor.locked {
            findable[name.hash, default: []].append(name.generation)
            setAllocated(locked: name, allocated)
        }
    }

    func setAllocated(_ name: ObjectName, _ bytes: UInt64) { monitor.locked { setAllocated(locked: name, bytes) } }

    private func setAllocated(locked name: ObjectName, _ bytes: UInt64) {
        allocatedTotal -= min(allocatedTotal, stored[name.generation]?.allocated ?? 0)
        allocatedTotal += bytes
        stored[name.generation] = (name.hash, bytes)
    }

    func allocated(_ generation: UInt64) -> UInt64 { monitor.locked { stored[generation]?.allocated ?? 0 } }

    /// For the store's thread: the object, loaded if need be. `nil`: not known any more, or its header is damaged.
    func state(_ generation: UInt64) -> ObjectState? {
        monitor.locked {
            if let state = resident[generation] { return state }
            guard let entry = stored[generation] else { return nil }
            return loaded(ObjectName(hash: entry.hash, generation: generation))
        }
    }

    func name(_ generation: UInt64) -> ObjectName? { monitor.locked { stored[generation].map { ObjectName(hash: $0.hash, generation: generation) } } }

    func residence(_ generation: UInt64) -> CachedObjectSummary.State {
        monitor.locked {
            guard let state = resident[generation], state.handles > 0 else { return .kept }
            return state.isKept ? .open : .passing
        }
    }
}
