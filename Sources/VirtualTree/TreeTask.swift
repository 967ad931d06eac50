internal import Synchronization

/// A request that is not answered yet.
package final class TreeTask: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    package init(cancel: @escaping @Sendable () -> Void) { action = Mutex(cancel) }

    /// The request is answered with `.interrupted` (a read: with `.cancelled`), at once or very soon, unless it has been answered. Any thread, any
    /// number of times.
    package func cancel() {
        let taken = action.withLock { action in
            defer { action = nil }
            return action
        }
        taken?()
    }
}

/// Answers once, whoever comes first: the result, the deadline or the interrupt.
final class ReplyOnce<Value: Sendable>: Sendable {
    typealias Reply = @Sendable (Result<Value, TreeError>) -> Void

    private let reply: Mutex<Reply?>

    init(_ reply: @escaping Reply) { self.reply = Mutex(reply) }

    /// - Returns: whether this was the first answer.
    @discardableResult
    func callAsFunction(_ result: Result<Value, TreeError>) -> Bool {
        let taken = reply.withLock { reply in
            defer { reply = nil }
            return reply
        }
        taken?(result)
        return taken != nil
    }

    var isAnswered: Bool { reply.withLock { $0 == nil } }

    /// The handle that the asker gets.
    var task: TreeTask { TreeTask { self(.failure(TreeError(.interrupted, "the caller gave up"))) } }

    deinit {
        // Dropped unanswered: the caller must not hang.
        let taken = reply.withLock { $0 }
        taken?(.failure(TreeError(.interrupted, "the request was dropped")))
    }
}
