/// Makes the answer to one request, with the faults that hit it: those of the content first, then those of the reply, then
/// those of the way.
struct FaultAnswer {
    let request: FaultRequest
    let tree: FaultTree
    let authority: String
    let faults: [Fault.Kind]
    /// How many requests came before, for what differs each time.
    let number: Int

    func steps() -> [ScriptedServer.Step] {
        var reply = reply()
        for fault in faults { change(&reply, fault) }
        let (head, body) = reply.wire(isHead: request.method == "HEAD")
        let delivery = faults.compactMap(FaultDelivery.init).first ?? FaultDelivery.whole
        return delivery.steps(head: head, body: body, endsConnection: reply.isUnframed || reply.raw != nil)
    }

    // MARK: The right answer, but for faults of the content

    private func reply() -> FaultReply {
        switch request.method {
        case "OPTIONS":
            let dav = has { if case .withoutDAVField = $0 { true } else { false } } ? [] : [(name: "DAV", value: "1, 2")]
            return FaultReply(200, dav + [("Allow", "OPTIONS, GET, HEAD, PROPFIND")])
        case "PROPFIND": return propfind()
        case "GET", "HEAD": return request.path.hasSuffix("/") ? page() : file()
        default: return FaultReply(405, [("Allow", "OPTIONS, GET, HEAD, PROPFIND")])
        }
    }

    private func propfind() -> FaultReply {
        var path = request.path
        if tree.files[path] == nil, !path.hasSuffix("/") { path += "/" }
        guard tree.files[path] != nil || tree.directories.contains(path) else { return FaultReply(404) }
        let isDeep = request["Depth"] == "1"
        let body = listing().multistatus(path, tree, isDeep: isDeep, authority: authority)
        return FaultReply(207, [("Content-Type", "application/xml; charset=utf-8")], body: body)
    }

    private func page() -> FaultReply {
        guard tree.directories.contains(request.path) else { return FaultReply(404) }
        var reply = FaultReply(200, [("Content-Type", "text/html; charset=utf-8")])
        reply.body = listing().page(request.path, tree, authority: authority)
        return reply
    }

    private func file() -> FaultReply {
        guard var file = tree.files[request.path] ?? bulkFile() else {
            if tree.directories.contains(request.path + "/") { return FaultReply(301, [("Location", FaultListing.encoded(request.path + "/"))]) }
            return FaultReply(404)
        }
        for fault in faults {
            if case .otherVersion = fault { file = file.otherVersion(growth: 0) }
            if case .otherLength(let growth) = fault { file = file.otherVersion(growth: growth) }
        }
        let size = file.bytes.count
        let fields = [
            ("Content-Type", file.mediaType), ("ETag", file.entityTag), ("Last-Modified", DateDialect.fixed.text(file.modified)),
            ("Accept-Ranges", "bytes"),
        ]
        let whole = FaultReply(200, fields, body: file.bytes)
        if let condition = request["If-Range"], condition != file.entityTag, condition != DateDialect.fixed.text(file.modified) { return whole }
        guard request.method == "GET", var (first, last) = asked(size) else { return whole }
        guard first <= last else { return FaultReply(416, [("Content-Range", "bytes */\(size)")]) }
        if has({ if case .ignoresRange = $0 { true } else { false } }) { return whole }
        for fault in faults {
            if case .otherRange(let distance) = fault, first + distance >= 0, last + distance < size {
                (first, last) = (first + distance, last + distance)
            }
        }
        let told = ("Content-Range", "bytes \(first)-\(last)/\(size)")
        if has({ if case .wholeWithContentRange = $0 { true } else { false } }) { return FaultReply(200, fields + [told], body: file.bytes) }
        if has({ if case .bodyFromStart = $0 { true } else { false } }) {
            return FaultReply(206, fields + [told], body: Array(file.bytes[...(last - first)]))
        }
        return FaultReply(206, fields + [told], body: Array(file.bytes[first...last]))
    }

    private func asked(_ size: Int) -> (first: Int, last: Int)? {
        if let suffix = request.suffix { return (size - min(suffix, size), size - 1) }
        return request.range.map { ($0.first, min($0.last ?? size - 1, size - 1)) }
    }

    /// One of the files that `.manyEntries` lists.
    private func bulkFile() -> FaultTree.File? {
        request.path.contains("/entry-") ? FaultTree.File([UInt8](repeating: 7, count: 7)) : nil
    }

    private func listing() -> FaultListing {
        var listing = FaultListing()
        for fault in faults {
            switch fault {
            case .hrefs(let style): listing.hrefs = style
            case .doubledEntries: listing.isDoubled = true
            case .deeperEntries: listing.hasDeeper = true
            case .withoutItself: listing.hasItself = false
            case .itselfAgain: listing.itselfAgain = true
            case .failedPropertiesFirst: listing.failedFirst = true
            case .empty: listing.isEmpty = true
            case .insufficientStorage: listing.isCutByServer = true
            case .entityBomb: listing.hasBomb = true
            case .manyEntries(let count): listing.extraEntries = count
            case .dates(let dialect): listing.dates = dialect
            case .withoutSizes: listing.sizes = .none
            case .roundedSizes: listing.sizes = .rounded
            default: break
            }
        }
        return listing
    }

    private func has(_ condition: (Fault.Kind) -> Bool) -> Bool { faults.contains(where: condition) }
}
