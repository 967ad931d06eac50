internal import Configuration
internal import ControlProtocol
internal import Diagnostics

/// How far a transfer is, as text. Pure.
enum ProgressFormatter {
    /// One line for a terminal of `width` columns, never wider than that minus one (a full last column makes some terminals break the line):
    /// `3/12 film.mkv [#######-------] 45% 1.2 GiB of 2.7 GiB 85 MiB/s 0:18 left`.
    static func bar(_ progress: TransferProgress, width: Int) -> String {
        let limit = max(width - 1, 10)
        let numbers = numbers(progress)
        let count = count(progress)
        var line = count.isEmpty ? "" : count + " "
        let room = limit - TextColumns.width(line) - TextColumns.width(numbers) - 1
        guard room >= 8 else { return TextColumns.fitted(line + numbers, limit) }
        let item = Redaction.line(progress.item)
        guard let share = share(progress), room >= 24 else { return line + TextColumns.padded(TextColumns.fitted(item, room), room) + " " + numbers }
        let cells = min(30, room / 2 - 2)
        let full = Int((Double(cells) * share).rounded(.down))
        let nameRoom = room - cells - 3
        line += TextColumns.padded(TextColumns.fitted(item, nameRoom), nameRoom)
        return line + " [" + String(repeating: "#", count: full) + String(repeating: "-", count: cells - full) + "] " + numbers
    }

    /// One line for a log: `3/12 film.mkv 45% 1.2 GiB of 2.7 GiB 85 MiB/s 0:18 left`.
    static func plain(_ progress: TransferProgress) -> String {
        [count(progress), Redaction.line(progress.item), numbers(progress)].filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func count(_ progress: TransferProgress) -> String {
        if let total = progress.itemsTotal { return total > 1 ? "\(progress.itemsDone)/\(total)" : "" }
        return progress.itemsDone > 0 ? "\(progress.itemsDone)/?" : ""
    }

    private static func numbers(_ progress: TransferProgress) -> String {
        var parts: [String] = []
        if let share = share(progress) { parts.append("\(Int(share * 100))%") }
        parts.append(ByteSize.format(progress.bytesDone) + (progress.bytesTotal.map { " of " + ByteSize.format($0) } ?? ""))
        parts.append(ByteSize.format(progress.bytesPerSecond) + "/s")
        if let left = secondsLeft(progress) { parts.append(duration(left) + " left") }
        return parts.joined(separator: " ")
    }

    /// 0...1; a total that turned out too small is 1.
    private static func share(_ progress: TransferProgress) -> Double? {
        guard let total = progress.bytesTotal else { return nil }
        return total == 0 ? 1 : min(1, Double(progress.bytesDone) / Double(total))
    }

    /// `nil`: nobody knows, or nothing is left.
    static func secondsLeft(_ progress: TransferProgress) -> UInt64? {
        guard let total = progress.bytesTotal, progress.bytesPerSecond > 0, total > progress.bytesDone else { return nil }
        let left = total - progress.bytesDone
        return left / progress.bytesPerSecond + (left % progress.bytesPerSecond == 0 ? 0 : 1)
    }

    /// `0:05`, `12:40`, `3:07:00`, `4 d`.
    static func duration(_ seconds: UInt64) -> String {
        func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if seconds < 3600 { return "\(seconds / 60):\(two(seconds % 60))" }
        if seconds < 4 * 86_400 { return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))" }
        return "\(seconds / 86_400) d"
    }
}

/// Decides which plain lines are printed: the first of each file and one every five seconds. Pure: the time comes in.
struct PlainProgress: Sendable {
    private var lastItem: String?
    private var lastTime: ContinuousClock.Instant?

    mutating func line(_ progress: TransferProgress, at time: ContinuousClock.Instant) -> String? {
        let isDue = lastTime.map { $0.duration(to: time) >= .seconds(5) } ?? true
        // Many small files: no more than a line a second.
        let isNew = progress.item != lastItem && (lastTime.map { $0.duration(to: time) >= .seconds(1) } ?? true)
        guard isDue || isNew else { return nil }
        lastItem = progress.item
        lastTime = time
        return ProgressFormatter.plain(progress)
    }
}
