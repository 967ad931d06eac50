internal import SourceAPI

/// The nodes that the kernel knows, or that are open. A node stays while either holds it; the root stays always.
struct NodeTable: Sendable {
    private struct Slot: Sendable {
        var node: Node
        var lookups: UInt64 = 0
        var opens = 0
    }

    private var slots: [UInt64: Slot]

    init(root: Node) { slots = [root.number: Slot(node: root)] }

    var count: Int { slots.count }

    subscript(number: UInt64) -> Node? { slots[number]?.node }

    /// The root is another source from now on; its look-ups and open handles are counted on.
    mutating func replaceRoot(_ root: Node) { slots[root.number, default: Slot(node: root)].node = root }

    /// Counts one look-up.
    ///
    /// - Returns: the node to show: under another number if its own is taken by another node.
    mutating func remember(_ node: Node) -> Node {
        var node = node
        var attempt: UInt64 = 0
        while let slot = slots[node.number], slot.node.identity != node.identity {
            attempt += 1
            node = node.renumbered(attempt: attempt)
        }
        // The newest facts win: a source that was set up anew has another shelf behind the same numbers.
        slots[node.number, default: Slot(node: node)].node = node
        slots[node.number]?.lookups += 1
        return node
    }

    mutating func forget(_ number: UInt64, count: UInt64) {
        guard var slot = slots[number] else { return }
        slot.lookups -= min(count, slot.lookups)
        store(slot, number)
    }

    mutating func opened(_ number: UInt64) { slots[number]?.opens += 1 }

    mutating func closed(_ number: UInt64) {
        guard var slot = slots[number] else { return }
        slot.opens = max(0, slot.opens - 1)
        store(slot, number)
    }

    private mutating func store(_ slot: Slot, _ number: UInt64) {
        let isHeld = slot.lookups > 0 || slot.opens > 0 || number == NodeNumbers.root
        slots[number] = isHeld ? slot : nil
    }
}
