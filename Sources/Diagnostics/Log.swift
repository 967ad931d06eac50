/// Where the daemon says what happened. One line an event; the sink decides where lines go.
package final class Log: Sendable {
    package enum Level: Int, Sendable, Comparable, CaseIterable {
        case debug, info, notice, warning, error

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// One event. Values are made fit for one line when it is written; secrets never come here (`Secret` prints itself redacted).
    package struct Event: Sendable {
        package let level: Level
        /// The part of the product that speaks: `transport`, `cache`, `source`, `mount`, `control`.
        package let subsystem: String
        package let message: String
        package let fields: [(name: String, value: String)]

        /// `message name=value name="a value with spaces"`.
        package var line: String {
            var line = Redaction.line(message)
            for field in fields {
                let value = Redaction.line(field.value)
                let quoted = value.isEmpty || value.contains { $0 == " " || $0 == "\"" || $0 == "=" }
                line +=
                    " \(field.name)="
                    + (quoted ? "\"" + value.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "'") + "\"" : value)
            }
            return line
        }
    }

    private let minimum: Level
    private let sink: @Sendable (Event) -> Void

    package init(minimum: Level = .info, sink: @escaping @Sendable (Event) -> Void) {
        self.minimum = minimum
        self.sink = sink
    }

    /// A log that nobody reads.
    package static let silent = Log(minimum: .error) { _ in }

    package func write(_ level: Level, _ subsystem: String, _ message: @autoclosure () -> String, _ fields: KeyValuePairs<String, String> = [:]) {
        guard level >= minimum else { return }
        sink(Event(level: level, subsystem: subsystem, message: message(), fields: fields.map { (name: $0.key, value: $0.value) }))
    }
}
