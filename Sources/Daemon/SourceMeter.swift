internal import Diagnostics
internal import Bytes
internal import SourceAPI

/// What one source asked of its origin and got, for `status`.
final class SourceMeter: Sendable {
    let requests = Counter()
    let failures = Counter()
    let bytesReceived = Counter()

    /// The sink, counted. It adds an addition for each piece that arrives, nothing else.
    func counting(_ sink: any FetchSink) -> any FetchSink {
        requests.add()
        return CountingSink(sink, self)
    }

    private final class CountingSink: FetchSink {
        private let sink: any FetchSink
        private let meter: SourceMeter

        init(_ sink: any FetchSink, _ meter: SourceMeter) {
            self.sink = sink
            self.meter = meter
        }

        func begin(_ reply: FetchReply) -> FetchDecision { sink.begin(reply) }

        func receive(_ bytes: UnsafeRawBufferPointer) -> FetchDecision {
            meter.bytesReceived.add(UInt64(bytes.count))
            return sink.receive(bytes)
        }

        func end(_ error: SourceError?) {
            if let error, error.code != .cancelled { meter.failures.add() }
            sink.end(error)
        }
    }
}
