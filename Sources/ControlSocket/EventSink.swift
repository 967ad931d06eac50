package import ControlProtocol

/// Where a request handler sends events. Never blocks; from any thread. When the client reads slower than events come, the oldest progress is
/// dropped. After the answer, or when the client is gone, events go nowhere.
package struct EventSink: Sendable {
    private let body: @Sendable (ControlEvent) -> Void

    package init(_ body: @escaping @Sendable (ControlEvent) -> Void) { self.body = body }

    package func send(_ event: ControlEvent) { body(event) }
}
