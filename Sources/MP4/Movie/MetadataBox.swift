/// `meta` with `ilst`, iTunes' list of a film's title, date and cover, in the movie's `udta`.
package struct MetadataBox: Box, Hashable {
    package static let type: FourCC = "meta"

    package struct Item: Hashable, Sendable {
        package var key: FourCC
        /// The well-known type of the value (QuickTime File Format): 1 UTF-8, 13 JPEG, 14 PNG, 21 integer, 0 bytes.
        package var kind: UInt32
        package var value: [UInt8]

        package init(key: FourCC, kind: UInt32, value: [UInt8]) {
            self.key = key
            self.kind = kind
            self.value = value
        }

        package init(key: FourCC, text: String) { self.init(key: key, kind: 1, value: Array(text.utf8)) }
    }

    package static let name: FourCC = "\u{A9}nam", date: FourCC = "\u{A9}day", tool: FourCC = "\u{A9}too", comment: FourCC = "\u{A9}cmt"
    package static let cover: FourCC = "covr"

    package var items: [Item]

    package init(_ items: [Item]) { self.items = items }

    /// The text of the first item of that name.
    package func text(_ key: FourCC) -> String? {
        items.first { $0.key == key && $0.kind == 1 }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// JPEG or PNG as a cover; `nil` for other bytes.
    package static func cover(_ image: [UInt8]) -> Item? {
        if image.starts(with: [0xFF, 0xD8, 0xFF]) { return Item(key: cover, kind: 13, value: image) }
        if image.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return Item(key: cover, kind: 14, value: image) }
        return nil
    }

    package init(from reader: inout BoxReader) throws(MP4Error) {
        // QuickTime's `meta` is no full box: then a box of a sane size follows at once.
        if reader.peek32 == 0 { _ = try reader.versionAndFlags() }
        items = []
        while var box = try reader.child() {
            guard box.type == "ilst" else { continue }
            while var item = try box.child() {
                let key = item.type
                while var data = try item.child() {
                    guard data.type == "data" else { continue }
                    let kind = try data.u32()
                    try data.skip(4)  // locale
                    items.append(Item(key: key, kind: kind, value: data.rest()))
                }
            }
        }
    }

    package func write(to writer: inout BoxWriter) {
        writer.fullBox(Self.type) { writer in
            writer.fullBox("hdlr") { writer in
                writer.u32(0)
                writer.code("mdir")
                writer.code("appl")
                writer.zeros(9)
            }
            writer.box("ilst") { writer in
                for item in items {
                    writer.box(item.key) { writer in
                        writer.box("data") { writer in
                            writer.u32(item.kind)
                            writer.u32(0)
                            writer.bytes(item.value)
                        }
                    }
                }
            }
        }
    }
}
