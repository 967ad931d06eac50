/// Makes responses out of the elements of a multistatus, whatever their prefixes, order and neighbours. It is told of
/// each element's start, text and end by a parser that has checked well-formedness; it never throws but keeps the first
/// fault and ignores what follows.
final class MultistatusBuilder {
    /// Deeper than any server nests: multistatus, response, propstat, prop, a property, its content; some add extensions.
    private static let maximumDepth = 64
    /// A href holds a path, of at most 4096 bytes on Linux, each of which may take three or, doubly encoded, five.
    private static let maximumText = 32 * 1024
    /// A million entries in one directory is beyond every server; each costs memory here.
    private static let maximumResponses = 1_000_000

    private enum Element {
        case multistatus, response, href, responseStatus, propstat, propstatStatus, prop
        case resourceType, collection, microsoftCollection, contentLength, lastModified, entityTag, contentType, quotaAvailable, quotaUsed
        case other

        var holdsText: Bool {
            switch self {
            case .href, .responseStatus, .propstatStatus, .microsoftCollection, .contentLength, .lastModified, .entityTag, .contentType,
                .quotaAvailable,
                .quotaUsed:
                true
            case .multistatus, .response, .propstat, .prop, .resourceType, .collection, .other: false
            }
        }
    }

    private(set) var responses: [MultistatusResponse] = []
    private(set) var fault: MultistatusFault?
    private var stack: [Element] = []
    private var text: [UInt8] = []
    private var response = MultistatusResponse()
    private var properties = MultistatusResponse.Properties()
    private var propstatStatus: Int?
    private var hasProperties = false

    func fail(_ fault: MultistatusFault) { self.fault = self.fault ?? fault }

    func start(_ name: String, isDAV: Bool) {
        guard fault == nil else { return }
        guard stack.count < Self.maximumDepth else { return fail(.tooDeep) }
        let element = isDAV || stack.isEmpty ? kind(of: name, isDAV: isDAV) : .other
        if stack.isEmpty, element != .multistatus { return fail(.notMultistatus(element: String(name.prefix(64)))) }
        switch element {
        case .response:
            response = MultistatusResponse()
            hasProperties = false
        case .propstat:
            properties = MultistatusResponse.Properties()
            propstatStatus = nil
        case .resourceType: properties.isCollection = properties.isCollection ?? false
        case .collection: properties.isCollection = true
        default: break
        }
        if element.holdsText { text.removeAll(keepingCapacity: true) }
        stack.append(element)
    }

    func characters(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard fault == nil, let element = stack.last, element.holdsText else { return }
        guard text.count + bytes.count <= Self.maximumText else { return fail(.tooLong) }
        text.append(contentsOf: bytes)
    }

    func end() {
        guard fault == nil, let element = stack.popLast() else { return }
        switch element {
        case .href: if response.href.isEmpty { response.href = Array(trimmedText) }
        case .responseStatus: response.status = Self.status(trimmedText)
        case .propstatStatus: propstatStatus = Self.status(trimmedText)
        case .propstat:
            if propstatStatus.map({ (200...299).contains($0) }) ?? true {
                response.properties.merge(properties)
                hasProperties = true
            } else {
                response.refusal = response.refusal ?? propstatStatus
            }
        case .response:
            if hasProperties { response.refusal = nil }
            guard responses.count < Self.maximumResponses else { return fail(.tooManyResponses) }
            responses.append(response)
        case .microsoftCollection: properties.isMicrosoftCollection = Self.flag(trimmedText)
        case .contentLength: properties.contentLength = Self.length(trimmedText)
        case .quotaAvailable: properties.quotaAvailable = Self.length(trimmedText)
        case .quotaUsed: properties.quotaUsed = Self.length(trimmedText)
        case .lastModified: properties.lastModified = words
        case .entityTag: properties.entityTag = words
        case .contentType: properties.contentType = words
        case .multistatus, .prop, .resourceType, .collection, .other: break
        }
    }

    private func kind(of name: String, isDAV: Bool) -> Element {
        switch (stack.last, name) {
        case (nil, "multistatus") where isDAV: .multistatus
        case (.multistatus, "response"): .response
        case (.response, "href"): .href
        case (.response, "status"): .responseStatus
        case (.response, "propstat"): .propstat
        case (.propstat, "status"): .propstatStatus
        case (.propstat, "prop"): .prop
        case (.prop, "resourcetype"): .resourceType
        case (.resourceType, "collection"): .collection
        case (.prop, "iscollection"): .microsoftCollection
        case (.prop, "getcontentlength"): .contentLength
        case (.prop, "getlastmodified"): .lastModified
        case (.prop, "getetag"): .entityTag
        case (.prop, "getcontenttype"): .contentType
        case (.prop, "quota-available-bytes"): .quotaAvailable
        case (.prop, "quota-used-bytes"): .quotaUsed
        default: .other
        }
    }
}

extension MultistatusBuilder {
    private var trimmedText: ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 <= 0x20 }
        guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) }) else { return [] }
        return text[first...last]
    }

    private var words: String? {
        let bytes = trimmedText
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// The number in `HTTP/1.1 200 OK`; `nil` for an empty line, which means success, and 0 for one that is no status line.
    private static func status(_ line: ArraySlice<UInt8>) -> Int? {
        guard !line.isEmpty else { return nil }
        for word in line.split(separator: 0x20) where word.count == 3 {
            if let number = Int(String(decoding: word, as: UTF8.self)), (100...599).contains(number) { return number }
        }
        return 0
    }

    /// Decimal digits only, and no more than a file offset can be (`Int64.max`).
    private static func length(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(String(decoding: digits, as: UTF8.self)) else {
            return nil
        }
        return number <= UInt64(Int64.max) ? number : nil
    }

    private static func flag(_ word: ArraySlice<UInt8>) -> Bool? {
        switch String(decoding: word, as: UTF8.self).lowercased() {
        case "1", "true", "t": true
        case "0", "false", "f": false
        default: nil
        }
    }
}
