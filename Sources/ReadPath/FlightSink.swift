internal import Bytes
internal import SourceAPI

/// Cuts the bytes of one fetch into blocks and hands each to the object as it is whole. A block that did not become
/// whole is lost with the fetch.
///
/// SAFETY: a source calls a sink's methods one after another; the variables are touched only there.
final class FlightSink: FetchSink, @unchecked Sendable {
    private let object: OpenObject
    private let id: FlightTable.ID
    private let budget: ReadBudget
    /// The file's offset of the next byte.
    private var position: UInt64
    private var block: [UInt8] = []
    /// The reply told no length: only its end shows whether it was as long as the file.
    private var isOpenEnded = false

    init(object: OpenObject, id: FlightTable.ID, offset: UInt64, budget: ReadBudget) {
        self.object = object
        self.id = id
        self.budget = budget
        position = offset
    }

    func begin(_ reply: FetchReply) -> FetchDecision {
        let decision = object.began(id, reply, asked: position)
        position = reply.offset
        isOpenEnded = reply.total == nil && !reply.isRanged
        return decision
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> FetchDecision {
        var rest = bytes[...]
        while !rest.isEmpty {
            let number = Block.number(at: position)
            let whole = Int(Block.range(number, fileSize: object.size).count)
            guard whole > block.count else {
                object.ended(id, SourceError(.changedUpstream, "\(object.name): more bytes came than the file has"))
                return .stop
            }
            if block.isEmpty {
                block.reserveCapacity(whole)
                budget.take(memory: whole)
            }
            let taken = min(whole - block.count, rest.count)
            block.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest.prefix(taken)))
            rest = rest.dropFirst(taken)
            position += UInt64(taken)
            guard block.count == whole else { break }
            let finished = block
            block = []
            budget.give(memory: whole)
            let decision = object.completed(id, number, finished)
            if case .stop = decision, !isOpenEnded || position < object.size { return .stop }
        }
        if !block.isEmpty { object.arrived(id, startOf: Block.number(at: position), block) }
        return .proceed
    }

    func end(_ error: SourceError?) {
        if !block.isEmpty {
            budget.give(memory: Int(Block.range(Block.number(at: position), fileSize: object.size).count))
            block = []
        }
        object.ended(id, error)
    }
}
