internal import CLibXML2

/// Parses the body of a PROPFIND answer (RFC 4918 §13), fed in pieces of any size; nothing is answered before the whole
/// document was seen to be well-formed, so a listing cut short can never pass for a smaller one.
///
/// libxml2's push parser does the work under these rules: no network, no entity but the five predefined ones and
/// character references, a document type declaration ends it, and the library's own limits stay on.
final class MultistatusParser {
    /// What one call into libxml2 gets, so that a fault stops the work soon.
    private static let pieceSize = 64 * 1024

    private let builder = MultistatusBuilder()
    private let context: xmlParserCtxtPtr?

    init() {
        xmlInitParser()
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = multistatusStartElement
        handler.endElementNs = multistatusEndElement
        handler.characters = multistatusCharacters
        handler.cdataBlock = multistatusCharacters
        handler.internalSubset = multistatusDocumentType
        // libxml2 copies the handler; the builder outlives the context, since both end with this object.
        context = xmlCreatePushParserCtxt(&handler, Unmanaged.passUnretained(builder).toOpaque(), nil, 0, nil)
        if let context {
            let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
            xmlCtxtUseOptions(context, CInt(bitPattern: UInt32(options)))
        }
    }

    deinit { if let context { xmlFreeParserCtxt(context) } }

    func feed(_ bytes: UnsafeRawBufferPointer) throws(MultistatusFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.pieceSize)
            rest = rest.dropFirst(piece.count)
            try push(UnsafeRawBufferPointer(rebasing: piece), isLast: false)
        }
    }

    /// - Returns: every response of the document, in its order.
    func finish() throws(MultistatusFault) -> [MultistatusResponse] {
        try push(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
        return builder.responses
    }

    static func parse(_ body: [UInt8]) throws(MultistatusFault) -> [MultistatusResponse] {
        let parser = MultistatusParser()
        let fault: MultistatusFault? = body.withUnsafeBytes { bytes in
            do throws(MultistatusFault) {
                try parser.feed(bytes)
                return nil
            } catch { return error }
        }
        if let fault { throw fault }
        return try parser.finish()
    }

    private func push(_ piece: UnsafeRawBufferPointer, isLast: Bool) throws(MultistatusFault) {
        guard let context else { throw .notWellFormed(line: 0) }
        let code = xmlParseChunk(context, piece.bindMemory(to: CChar.self).baseAddress, CInt(piece.count), isLast ? 1 : 0)
        if let fault = builder.fault { throw fault }
        // A namespace error is not fatal to libxml2: the element then simply is not in `DAV:`.
        if context.pointee.wellFormed == 0 || (code != 0 && context.pointee.disableSAX != 0) { throw .notWellFormed(line: lineNumber(context)) }
    }

    private func lineNumber(_ context: xmlParserCtxtPtr) -> Int { context.pointee.input.map { Int($0.pointee.line) } ?? 0 }
}

private func builder(_ context: UnsafeMutableRawPointer?) -> MultistatusBuilder? {
    context.map { Unmanaged<MultistatusBuilder>.fromOpaque($0).takeUnretainedValue() }
}

private let davNamespace: StaticString = "DAV:"

/// `startElementNsSAX2Func`. Attributes are of no interest.
private func multistatusStartElement(
    _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?, _ namespace: UnsafePointer<xmlChar>?,
    _ namespaceCount: CInt, _ namespaces: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ attributeCount: CInt, _ defaultedCount: CInt,
    _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
) {
    guard let name else { return }
    let isDAV = namespace.map { xmlStrEqual($0, davNamespace.utf8Start) == 1 } ?? false
    builder(context)?.start(String(cString: name), isDAV: isDAV)
}

private func multistatusEndElement(
    _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?, _ namespace: UnsafePointer<xmlChar>?
) {
    builder(context)?.end()
}

private func multistatusCharacters(_ context: UnsafeMutableRawPointer?, _ text: UnsafePointer<xmlChar>?, _ count: CInt) {
    guard let text, count > 0 else { return }
    builder(context)?.characters(UnsafeBufferPointer(start: text, count: Int(count)))
}

private func multistatusDocumentType(
    _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<xmlChar>?, _ externalID: UnsafePointer<xmlChar>?, _ systemID: UnsafePointer<xmlChar>?
) {
    builder(context)?.fail(.documentType)
}
