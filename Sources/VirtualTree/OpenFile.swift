package import SourceAPI
internal import Synchronization

/// A file handle: one version of one file, whatever the origin shows later.
package final class OpenFile: Sendable {
    /// Fixed at open.
    package let attributes: Attributes
    let content: any ContentReader
    private let atClose: Mutex<(@Sendable () -> Void)?>

    init(attributes: Attributes, reader: any ContentReader, atClose: @escaping @Sendable () -> Void) {
        self.attributes = attributes
        content = reader
        self.atClose = Mutex(atClose)
    }

    /// Reads exactly `min(buffer.count, size − offset)` bytes. Cached bytes are copied into `buffer` and counted by `.done`; otherwise the result
    /// is `.pending`, the buffer is not touched any more, and `later` is called exactly once from another thread. Its pointer is valid during the
    /// call only.
    package func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
        later: @escaping @Sendable (Result<UnsafeRawBufferPointer, SourceError>) -> Void
    ) -> ReadOutcome {
        content.read(at: offset, into: buffer, later: later)
    }

    /// Ends the handle; reads still pending are answered. Calls after the first do nothing.
    package func close() {
        let action = atClose.withLock { action in
            defer { action = nil }
            return action
        }
        guard let action else { return }
        content.close()
        action()
    }

    deinit { close() }
}

package enum ReadOutcome: Sendable {
    /// This many bytes are in the buffer.
    case done(Int)
    /// Answered later; the task cancels.
    case pending(TreeTask)
}
