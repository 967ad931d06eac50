/// Easy handles that rest between two uses. The engine's thread only.
struct EasyPool {
    /// Handles that rest at most; connections are not theirs but the engine's, so dropping one costs little.
    private static let capacity = 64

    private var resting: [EasyHandle.Use: [EasyHandle]] = [:]
    private var count = 0

    /// A handle of that use whose state fits the mask: one that was narrowed to a part of what was asked before.
    mutating func take(_ use: EasyHandle.Use, authentication: UInt) -> EasyHandle? {
        while let handle = resting[use]?.popLast() {
            count -= 1
            if resting[use]?.isEmpty == true { resting[use] = nil }
            if let last = handle.authentication, authentication & last == authentication { return handle }
        }
        return nil
    }

    mutating func put(_ handle: EasyHandle) {
        if count >= Self.capacity, let other = resting.keys.first(where: { $0 != handle.use }) ?? resting.keys.first {
            count -= resting.removeValue(forKey: other)?.count ?? 0
        }
        resting[handle.use, default: []].append(handle)
        count += 1
    }

    mutating func removeAll() {
        resting.removeAll()
        count = 0
    }
}
