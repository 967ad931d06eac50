package import Diagnostics
internal import Glibc

/// Where a daemon's log lines go: its standard error, as one `write` each so that lines never interleave.
package enum LogSinks {
    /// Lines with a UTC time stamp, or with the journal's `<N>` priority when the journal reads standard error.
    ///
    /// - Parameter isForJournal: whether it surely does; else the environment tells.
    package static func standardError(environment: [String: String], isForJournal: Bool = false) -> @Sendable (Log.Event) -> Void {
        let isJournal = isForJournal || environment["JOURNAL_STREAM"] != nil
        return { event in
            let head = isJournal ? "<\(priority(event.level))>" : "\(timeStamp()) \(event.level) "
            var line = Array("\(head)\(event.subsystem): \(event.line)\n".utf8)
            line.withUnsafeMutableBytes { bytes in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty {
                    let count = write(2, rest.baseAddress, rest.count)
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { return }
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                }
            }
        }
    }

    /// `syslog(3)` priorities.
    private static func priority(_ level: Log.Level) -> Int {
        switch level {
        case .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        }
    }

    private static func timeStamp() -> String {
        var now = time(nil), parts = tm()
        gmtime_r(&now, &parts)
        func two(_ value: CInt) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return
            "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
            + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    }
}
