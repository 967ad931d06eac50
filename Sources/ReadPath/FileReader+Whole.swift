package import SourceAPI
internal import Bytes

extension FileReader {
    /// Fetches into the cache what of the file is not there yet, in parallel ranges; what is there is not fetched again,
    /// so that an interrupted fetch goes on where it was. Cancelled with its task, or by `close`.
    ///
    /// - Parameter progress: called a few times a second, and at the end; from any thread, never two at a time.
    /// - Returns: bytes that the cache could not keep (full disk, or a file larger than the cache); they came, but are
    ///   not here.
    /// - Throws: `.timedOut` when nothing came for as long as a read may wait.
    @discardableResult
    package func fetchWhole(progress: @escaping @Sendable (FetchProgress) -> Void = { _ in }) async throws(SourceError) -> UInt64 {
        guard let object else {
            progress(FetchProgress(size: 0, present: 0))
            return 0
        }
        if let failure = await WholeFetch(object: object, handle: number, progress: progress).run() { throw failure }
        return object.kept.missing(in: 0..<Block.count(fileSize: size)).reduce(0) { $0 + Block.bytes(of: $1, fileSize: size).count }
    }

    /// Bytes `offset ..< offset + count`, as far as the file has them: for control work, not for the read path.
    /// A cancelled task gives up the read.
    package func bytes(at offset: UInt64, count: Int) async throws(SourceError) -> [UInt8] {
        let range = FileRange(offset: offset, count: UInt64(max(0, count)), fileSize: size)
        let waiting = AsyncRead()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<[UInt8], SourceError>, Never>) in
                var ticket: ReadTicket?
                let present = [UInt8](unsafeUninitializedCapacity: Int(range.count)) { buffer, initialized in
                    let outcome = read(at: range.offset, into: UnsafeMutableRawBufferPointer(buffer)) { result in
                        continuation.resume(returning: result.map { [UInt8]($0) })
                    }
                    switch outcome {
                    case .done(let done): initialized = done
                    case .pending(let pending): ticket = pending
                    }
                }
                guard let ticket else { return continuation.resume(returning: .success(present)) }
                if waiting.began(ticket) { cancel(ticket) }
            }
        } onCancel: {
            if let ticket = waiting.cancelled() { cancel(ticket) }
        }
        return try result.get()
    }
}
