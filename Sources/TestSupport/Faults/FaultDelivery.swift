/// How the bytes of a reply reach the client, or do not.
enum FaultDelivery {
    case whole
    case broken(Fault.Place, ScriptedServer.Step)
    case drip(Fault.Place, bytes: Int, milliseconds: UInt32)

    init?(_ fault: Fault.Kind) {
        switch fault {
        case .close(let place): self = .broken(place, .close)
        case .reset(let place): self = .broken(place, .reset)
        case .stall(let place): self = .broken(place, .hang)
        case .drip(let place, let bytes, let milliseconds): self = .drip(place, bytes: bytes, milliseconds: milliseconds)
        default: return nil
        }
    }

    func steps(head: [UInt8], body: [UInt8], endsConnection: Bool) -> [ScriptedServer.Step] {
        let all = head + body
        var steps: [ScriptedServer.Step]
        switch self {
        case .whole: steps = [.bytes(all)]
        case .broken(let place, let step):
            let count = Self.count(place, head)
            // A body that ends before the place is whole.
            steps = count < all.count ? [.bytes(Array(all[..<count])), step] : [.bytes(all)]
        case .drip(let place, let bytes, let milliseconds):
            let start = min(Self.count(place, head), all.count)
            steps = [.bytes(Array(all[..<start]))]
            for next in stride(from: start, to: all.count, by: max(1, bytes)) {
                steps += [.wait(milliseconds: milliseconds), .bytes(Array(all[next..<min(next + max(1, bytes), all.count)]))]
            }
        }
        return endsConnection ? steps + [.close] : steps
    }

    private static func count(_ place: Fault.Place, _ head: [UInt8]) -> Int {
        switch place {
        case .head(let count): min(count, head.count)
        case .body(let count): head.count + count
        }
    }
}
