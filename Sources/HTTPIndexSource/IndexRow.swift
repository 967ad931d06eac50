/// A link of a page with what stands beside it in its line or table row. Texts are cut at a length that every known
/// shape stays below.
struct IndexRow {
    static let maximumText = 512

    var href: [UInt8]
    var label: [UInt8] = []
    /// What stands before the link in its row, cells parted by tabs.
    var before: [UInt8] = []
    var after: [UInt8] = []
    var isPreformatted = false
    /// `data-order` or `data-size` of a cell behind the link.
    var dataSize: [UInt8]?
    /// `datetime` of a `time` element behind the link.
    var dateTime: [UInt8]?
}

/// What a page says of itself, beside its links.
struct IndexPageSigns {
    var title: [UInt8] = []
    var heading: [UInt8] = []
    var hasPasswordField = false
    /// Links that sort the columns of Apache's index: `?C=N;O=D`.
    var hasSortLinks = false
    /// Apache's column heads in a `<pre>` index.
    var hasColumnHeads = false
    /// The address the page gives for its links.
    var baseHref: [UInt8]?
}
