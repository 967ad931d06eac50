internal import CLibXML2

/// Takes the links of an HTML page with their rows. libxml2's HTML parser does the work: it accepts what browsers
/// accept, loads nothing, and expands only HTML's own character entities.
final class HTMLIndexReader {
    /// As many links as a directory may have entries, and a few more.
    static let maximumRows = 1_000_010
    /// Bytes of one link: a path has at most 4096 on Linux, each of which may take three or, doubly encoded, five.
    private static let maximumLink = 32 * 1024
    /// Open elements. libxml2 looks through all of them at a closing tag; no index has more than a dozen.
    private static let maximumDepth: CInt = 1024

    private(set) var rows: [IndexRow] = []
    private(set) var signs = IndexPageSigns()
    /// Why the rows are not all that the page has.
    private(set) var fault: IndexFault?
    /// What libxml2 has not been given yet; points into the page, which outlives the parser.
    private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    private var deadline = ContinuousClock.now
    private var rowText: [UInt8] = []
    private var hasLinkInRow = false
    private var isInLink = false
    private var preformattedDepth = 0
    private var isInTitle = false
    private var isInHeading = false
    private var silentDepth = 0

    /// - Parameters:
    ///   - page: UTF-8, else taken byte by byte, so that names in another encoding keep their bytes.
    ///   - patience: how long it may take; pages can be made so that each of their bytes costs time for all before it.
    static func read(_ page: [UInt8], patience: Duration = .seconds(10)) -> HTMLIndexReader {
        let isUTF8 = String(validating: page, as: UTF8.self) != nil
        let reader = HTMLIndexReader()
        reader.isLatin = !isUTF8
        reader.deadline = .now + patience
        // libxml2 takes it for the end.
        if page.contains(0) { reader.fault = .notWellFormed("a NUL byte") }
        xmlInitParser()
        guard reader.fault == nil, !page.isEmpty, page.count <= Int(CInt.max), let context = htmlNewParserCtxt() else { return reader }
        defer { htmlFreeParserCtxt(context) }
        guard let handler = context.pointee.sax else { return reader }
        handler.pointee = xmlSAXHandler()
        handler.pointee.startElement = htmlStartElement
        handler.pointee.endElement = htmlEndElement
        handler.pointee.characters = htmlCharacters
        handler.pointee.cdataBlock = htmlCharacters
        handler.pointee.ignorableWhitespace = htmlCharacters
        let this = Unmanaged.passUnretained(reader).toOpaque()
        context.pointee.userData = this
        reader.context = context
        let options = HTML_PARSE_NONET.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue | HTML_PARSE_RECOVER.rawValue
        page.withUnsafeBytes { bytes in
            reader.rest = bytes
            let document = htmlCtxtReadIO(context, htmlReadPage, nil, this, nil, isUTF8 ? "UTF-8" : "ISO-8859-1", CInt(options))
            if let document { xmlFreeDoc(document) }
            reader.rest = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        if context.pointee.disableSAX != 0 { reader.fail(.notWellFormed("it cannot be read to its end")) }
        reader.context = nil
        return reader
    }

    /// While `read` runs.
    private var context: htmlParserCtxtPtr?

    private func fail(_ fault: IndexFault) { self.fault = self.fault ?? fault }

    /// The page's next bytes; none after a fault, which ends the parser's work.
    fileprivate func feed(_ room: UnsafeMutableRawBufferPointer) -> Int {
        if ContinuousClock.now > deadline { fail(.notWellFormed("it takes too long to read")) }
        guard fault == nil else { return 0 }
        let piece = rest.prefix(room.count)
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
        return piece.count
    }

    private var isLatin = false

    fileprivate func start(_ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
        if let context, context.pointee.nameNr > Self.maximumDepth { fail(.notWellFormed("too many open elements")) }
        guard fault == nil else { return }
        switch name {
        case "a": startLink(attributes)
        case "tr", "li", "br", "p", "hr", "ul", "ol", "table", "dt": endRow()
        case "td", "th":
            text([0x09])
            if let data = value("data-order", attributes) ?? value("data-size", attributes) { lastRow { $0.dataSize = $0.dataSize ?? data } }
        case "time": if let stamp = value("datetime", attributes) { lastRow { $0.dateTime = $0.dateTime ?? stamp } }
        case "pre":
            endRow()
            preformattedDepth += 1
        case "title": isInTitle = true
        case "h1": isInHeading = true
        case "script", "style": silentDepth += 1
        case "base": signs.baseHref = signs.baseHref ?? value("href", attributes)
        case "input":
            if value("type", attributes).map({ String(decoding: $0, as: UTF8.self).lowercased() }) == "password" { signs.hasPasswordField = true }
        default: break
        }
    }

    fileprivate func end(_ name: String) {
        switch name {
        case "a": isInLink = false
        case "tr", "li", "p", "ul", "ol", "table", "dt": endRow()
        case "pre":
            endRow()
            preformattedDepth = max(0, preformattedDepth - 1)
        case "title": isInTitle = false
        case "h1": isInHeading = false
        case "script", "style": silentDepth = max(0, silentDepth - 1)
        default: break
        }
    }

    fileprivate func text(_ raw: some Sequence<UInt8>) {
        guard silentDepth == 0, fault == nil else { return }
        let bytes = Array(raw)
        if isInTitle { return Self.append(bytes, to: &signs.title) }
        if isInHeading { Self.append(bytes, to: &signs.heading) }
        // A name may hold a line break; the row ends behind its link.
        guard preformattedDepth > 0, !isInLink, bytes.contains(0x0A) else { return rowText(bytes[...]) }
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if index > 0 { endRow() }
            rowText(line)
        }
    }

    private func rowText(_ bytes: ArraySlice<UInt8>) {
        if isInLink {
            lastRow { Self.append(bytes, to: &$0.label) }
        } else if hasLinkInRow {
            lastRow { Self.append(bytes, to: &$0.after) }
        } else {
            Self.append(bytes, to: &rowText)
        }
    }

    private func startLink(_ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
        guard let href = value("href", attributes) else { return }
        guard rows.count < Self.maximumRows else { return fail(.tooManyEntries) }
        guard href.count <= Self.maximumLink else { return fail(.notWellFormed("a link beyond all measure")) }
        var row = IndexRow(href: href)
        row.before = hasLinkInRow ? [] : rowText
        row.isPreformatted = preformattedDepth > 0
        rows.append(row)
        hasLinkInRow = true
        isInLink = true
    }

    private func endRow() {
        if preformattedDepth > 0, !signs.hasColumnHeads, String(decoding: rowText, as: UTF8.self).contains("Last modified") {
            signs.hasColumnHeads = true
        }
        rowText.removeAll(keepingCapacity: true)
        hasLinkInRow = false
        isInLink = false
    }

    private func lastRow(_ change: (inout IndexRow) -> Void) {
        guard hasLinkInRow, !rows.isEmpty else { return }
        change(&rows[rows.count - 1])
    }

    private static func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
        text += bytes.prefix(max(0, IndexRow.maximumText - text.count))
    }

    /// The value of an attribute; pairs end with a null name, and a name may have no value.
    private func value(_ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) -> [UInt8]? {
        guard var pair = attributes else { return nil }
        while let attribute = pair[0] {
            if xmlStrEqual(attribute, name) == 1, let value = pair[1] {
                return bytes(UnsafeBufferPointer(start: value, count: Int(xmlStrlen(value))))
            }
            pair += 2
        }
        return nil
    }

    /// libxml2 hands out UTF-8. Of a page taken byte by byte each character is one byte again.
    fileprivate func bytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        guard isLatin else { return Array(text) }
        return String(decoding: text, as: UTF8.self).unicodeScalars.flatMap { scalar in
            UInt8(exactly: scalar.value).map { [$0] } ?? Array(String(scalar).utf8)
        }
    }
}

private func reader(_ context: UnsafeMutableRawPointer?) -> HTMLIndexReader? {
    context.map { Unmanaged<HTMLIndexReader>.fromOpaque($0).takeUnretainedValue() }
}

/// `xmlInputReadCallback`.
private func htmlReadPage(_ context: UnsafeMutableRawPointer?, _ room: UnsafeMutablePointer<CChar>?, _ count: CInt) -> CInt {
    guard let room, count > 0, let reader = reader(context) else { return 0 }
    return CInt(reader.feed(UnsafeMutableRawBufferPointer(start: room, count: Int(count))))
}

private func htmlStartElement(
    _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<xmlChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
) {
    guard let name else { return }
    reader(context)?.start(String(cString: name), attributes)
}

private func htmlEndElement(_ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<xmlChar>?) {
    guard let name else { return }
    reader(context)?.end(String(cString: name))
}

private func htmlCharacters(_ context: UnsafeMutableRawPointer?, _ text: UnsafePointer<xmlChar>?, _ count: CInt) {
    guard let text, count > 0, let reader = reader(context) else { return }
    reader.text(reader.bytes(UnsafeBufferPointer(start: text, count: Int(count))))
}
