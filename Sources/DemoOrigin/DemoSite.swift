internal import Bytes

/// What the demo server answers, without any network: a read-only WebDAV class 1 site and the same paths as plain files
/// and pages.
final class DemoSite: Sendable {
    private let tree: ServedTree
    private let credentials: DemoCredentials?
    private static let methods = "OPTIONS, GET, HEAD, PROPFIND"

    init(tree: ServedTree, credentials: DemoCredentials?) {
        self.tree = tree
        self.credentials = credentials
    }

    /// Never traps, whatever the request says.
    func answer(_ request: DemoRequest) -> DemoReply {
        if let credentials, !credentials.accept(request.fields["authorization"]) {
            return .problem(401, "who are you?", [("WWW-Authenticate", "Basic realm=\"reelfs demo\", charset=\"UTF-8\"")])
        }
        if request.method == "OPTIONS" { return DemoReply(200, [("DAV", "1"), ("Allow", Self.methods), ("MS-Author-Via", "DAV")]) }
        guard let path = RequestPath(target: request.target) else { return .problem(400, "not a path of this server") }
        do throws(ServedTree.Failure) {
            switch request.method {
            case "GET", "HEAD": return try get(path, request)
            case "PROPFIND": return try propfind(path, request)
            default: return .problem(405, "this server can only be read", [("Allow", Self.methods)])
            }
        } catch {
            return switch error {
            case .notFound: .problem(404, "no such file")
            case .denied: .problem(403, "this file may not be read")
            case .fault: .problem(500, "the file cannot be read now")
            }
        }
    }

    private func get(_ path: RequestPath, _ request: DemoRequest) throws(ServedTree.Failure) -> DemoReply {
        let handle = try tree.open(path), node = handle.node
        if node.isDirectory {
            guard path.endsWithSlash else { return .problem(301, "see the directory", [("Location", path.encoded(asDirectory: true))]) }
            let page = IndexPage.page(path, try tree.list(handle))
            return DemoReply(200, [("Content-Type", "text/html; charset=utf-8")], body: .text(page))
        }
        guard !path.endsWithSlash else { throw .notFound }
        let conditions = Preconditions(request.fields)
        var fields = [("ETag", node.entityTag), ("Last-Modified", node.lastModified), ("Accept-Ranges", "bytes")]
        switch conditions.outcome(for: node) {
        case .failed: return .problem(412, "the file is another version")
        case .notModified: return DemoReply(304, fields)
        case .proceed: break
        }
        fields.append(("Content-Type", MediaType.of(path.segments.last ?? [])))
        // A range is defined for GET only (RFC 9110 §14.2).
        let field = request.method == "GET" && conditions.allowsRange(of: node) ? request.fields["range"] : nil
        switch ByteRangeField(field, fileSize: node.size) {
        case .whole: return DemoReply(200, fields, body: .file(handle, offset: 0, count: node.size))
        case .unsatisfiable: return .problem(416, "the file has \(node.size) bytes", [("Content-Range", "bytes */\(node.size)")])
        case .part(let range):
            // A part is never empty: an unsatisfiable range was answered above.
            fields.append(("Content-Range", "bytes \(range.offset)-\(range.end - 1)/\(node.size)"))
            return DemoReply(206, fields, body: .file(handle, offset: range.offset, count: range.count))
        }
    }

    private func propfind(_ path: RequestPath, _ request: DemoRequest) throws(ServedTree.Failure) -> DemoReply {
        let isDeep: Bool
        switch request.fields["depth"]?.lowercased() {
        case "0": isDeep = false
        case "1": isDeep = true
        case nil, "infinity":
            let body = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:error xmlns:D=\"DAV:\"><D:propfind-finite-depth/></D:error>\n"
            return DemoReply(403, [("Content-Type", "application/xml; charset=utf-8")], body: .text(body))
        default: return .problem(400, "Depth is 0 or 1")
        }
        let handle = try tree.open(path)
        guard handle.node.isDirectory || !path.endsWithSlash else { throw .notFound }
        var answer = MultiStatus()
        let base = path.encoded(asDirectory: handle.node.isDirectory)
        answer.add(href: base, name: path.segments.last ?? [], node: handle.node)
        if isDeep && handle.node.isDirectory {
            for entry in try tree.list(handle) {
                let href = base + PercentCoding.encodeSegment(entry.name) + (entry.node.isDirectory ? "/" : "")
                answer.add(href: href, name: entry.name, node: entry.node)
            }
        }
        return DemoReply(207, [("Content-Type", "application/xml; charset=utf-8")], body: .text(answer.document))
    }
}
