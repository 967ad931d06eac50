internal import Synchronization

/// A server on 127.0.0.1 that serves a tree over WebDAV, as index pages and as files with ranges, correctly but for the
/// faults it is given. It ends with its last reference, or by `stop`.
package final class FaultOrigin: Sendable {
    private struct State {
        var tree: FaultTree
        var faults: [Fault]
        /// How many requests fitted each fault so far.
        var counts: [Int]
        var log: [FaultRequest] = []
    }

    /// Shared with the server's threads, which must not hold the origin itself.
    private final class Shared: Sendable {
        let state: Mutex<State>

        init(_ state: State) { self.state = Mutex(state) }

        func steps(_ request: FaultRequest, authority: String) -> [ScriptedServer.Step] {
            let (tree, faults, number) = state.withLock { state in
                var chosen: [Fault.Kind] = []
                for (index, fault) in state.faults.enumerated() where fault.hits.fits(request) {
                    if fault.hits.turn.holds(state.counts[index]) { chosen.append(fault.kind) }
                    state.counts[index] += 1
                }
                state.log.append(request)
                return (state.tree, chosen, state.log.count)
            }
            return FaultAnswer(request: request, tree: tree, authority: authority, faults: faults, number: number).steps()
        }
    }

    private let shared: Shared
    private let server: ScriptedServer

    package init(_ tree: FaultTree, _ faults: [Fault] = [], host: String = "127.0.0.1") {
        let shared = Shared(State(tree: tree, faults: faults, counts: faults.map { _ in 0 }))
        self.shared = shared
        server = ScriptedServer(host: host) { request, _ in
            let asked = FaultRequest(request)
            return shared.steps(asked, authority: asked["Host"] ?? host)
        }
    }

    deinit { server.stop() }

    package func stop() { server.stop() }

    /// Without a slash at its end.
    package var base: String { server.base }

    /// The root, with a slash at its end.
    package var url: String { server.base + "/" }

    package var port: UInt16 { server.port }

    /// Everything asked so far, in order of arrival.
    package var requests: [FaultRequest] { shared.state.withLock { $0.log } }

    /// Other faults from now on; their turns are counted anew.
    package func setFaults(_ faults: [Fault]) {
        shared.state.withLock { state in
            state.faults = faults
            state.counts = faults.map { _ in 0 }
        }
    }

    package func setTree(_ tree: FaultTree) { shared.state.withLock { $0.tree = tree } }
}
