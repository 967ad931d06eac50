package import Bytes

/// Finds the next place where a Cluster really begins: behind damage, or to enter a file without an index.
package struct ClusterSearch: Sendable {
    package enum Step: Sendable {
        case need(FileRange)
        case found(ClusterStart)
        /// None before the limit or the end.
        case none
    }

    /// What is asked for at once.
    private static let stride: UInt64 = 64 << 10
    /// ID, size, and a Timestamp of one byte.
    private static let shortest: UInt64 = 8

    /// Every place before this one is known to be none.
    package private(set) var position: UInt64
    private let last: UInt64
    private let end: UInt64
    private var check: ClusterCheck?

    /// - Parameters:
    ///   - end: the Segment's end inside the file.
    ///   - limit: how many places are tried.
    package init(from position: UInt64, end: UInt64, limit: UInt64) {
        self.position = position
        self.end = end
        last = min(sum(position, limit), end)
    }

    package mutating func next(_ piece: FilePiece) -> Step {
        while true {
            if var running = check {
                switch running.next(piece) {
                case .need(let range):
                    check = running
                    return .need(range)
                case .valid(let start): return .found(start)
                case .invalid:
                    check = nil
                    position += 1
                }
            }
            guard position < last, end - position >= ClusterSearch.shortest else { return .none }
            let bytes = piece.tail(from: position, limit: end - position)
            guard bytes.count >= 4 else {
                return .need(FileRange(offset: position, end: position + min(ClusterSearch.stride, end - position)))
            }
            if let index = ClusterSearch.candidate(in: bytes) {
                position += UInt64(index)
                guard position < last else { return .none }
                check = ClusterCheck(at: position, end: end)
            } else {
                position += UInt64(bytes.count - 3)
            }
        }
    }

    /// The index, counted from 0, of the first Cluster ID.
    private static func candidate(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            var index = 0
            let last = buffer.count - 4
            while index <= last {
                if buffer[index] == 0x1F, buffer[index + 1] == 0x43, buffer[index + 2] == 0xB6, buffer[index + 3] == 0x75 { return index }
                index += 1
            }
            return nil
        }
    }
}
