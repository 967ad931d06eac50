/// A password, token or signed URL. It prints as `<redacted>` wherever it is shown; only `reveal()` gives the text.
package struct Secret: Hashable, Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// The text itself, for the one place that sends it to its origin or writes it to a 0600 file.
    package func reveal() -> String { text }

    package var isEmpty: Bool { text.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
