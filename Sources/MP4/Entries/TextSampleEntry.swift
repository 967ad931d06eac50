/// `tx3g` (3GPP TS 26.245 §5.16): subtitle text with its default box and style.
package struct TextSampleEntry: Hashable, Sendable {
    package static let format: FourCC = "tx3g"

    package var displayFlags: UInt32 = 0
    /// 0 left, 1 centre, −1 right.
    package var horizontal: Int8 = 1
    /// 0 top, 1 centre, −1 bottom.
    package var vertical: Int8 = -1
    /// Red, green, blue, alpha.
    package var background: UInt32 = 0
    /// Top, left, bottom, right, in pixels of the text track.
    package var box: [Int16] = [0, 0, 0, 0]
    package var fontSize: UInt8 = 18
    /// Red, green, blue, alpha.
    package var colour: UInt32 = 0xFFFF_FFFF
    package var font = "Sans-Serif"

    package init() {}

    init(from reader: inout BoxReader) throws(MP4Error) {
        try SampleEntry.readHead(&reader)
        displayFlags = try reader.u32()
        horizontal = Int8(bitPattern: try reader.u8())
        vertical = Int8(bitPattern: try reader.u8())
        background = try reader.u32()
        box = []
        for _ in 0..<4 { box.append(try reader.i16()) }
        try reader.skip(7)  // characters and font of the style, face
        fontSize = try reader.u8()
        colour = try reader.u32()
        while var child = try reader.child() {
            guard child.type == "ftab" else { continue }
            let count = try child.u16()
            guard count > 0 else { continue }
            try child.skip(2)
            font = String(decoding: try child.bytes(Int(try child.u8())), as: UTF8.self)
        }
    }

    func write(to writer: inout BoxWriter) {
        writer.box(Self.format) { writer in
            SampleEntry.writeHead(to: &writer)
            writer.u32(displayFlags)
            writer.u8(UInt8(bitPattern: horizontal))
            writer.u8(UInt8(bitPattern: vertical))
            writer.u32(background)
            if box.count != 4 { writer.refuse("a box of \(box.count) values") }
            for value in box { writer.i16(value) }
            writer.u32(0)  // style of characters 0 to 0: all
            writer.u16(1)  // font 1
            writer.u8(0)  // face
            writer.u8(fontSize)
            writer.u32(colour)
            writer.box("ftab") { writer in
                writer.u16(1)
                writer.u16(1)
                writer.u8(writer.fit(font.utf8.count, "length of the font's name"))
                writer.bytes(font.utf8)
            }
        }
    }
}
