internal import Configuration
internal import VirtualTree

/// One source in use: its definition, the origin behind it, and what is known of its directories.
final class ActiveSource: Sendable {
    let configured: ConfiguredSource
    let origin: DeferredSource
    let shelf: SourceShelf

    init(configured: ConfiguredSource, origin: DeferredSource, shelf: SourceShelf) {
        self.configured = configured
        self.origin = origin
        self.shelf = shelf
    }

    var name: String { configured.name.text }

    func close() {
        shelf.close()
        origin.shutdown()
    }
}
