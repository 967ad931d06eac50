extension FaultAnswer {
    /// What faults make of a reply that is right so far.
    func change(_ reply: inout FaultReply, _ fault: Fault.Kind) {
        switch fault {
        case .contentRange(let text): reply.set("Content-Range", text)
        case .shiftedContentRange(let distance): rewriteRange(&reply) { ($0 + distance, $1 + distance, $2) }
        case .otherTotal(let growth): rewriteRange(&reply) { ($0, $1, $2 + growth) }
        case .multipart where reply.status == 206: makeMultipart(&reply)

        case .shorter(let count): reply.body.removeLast(min(count, reply.body.count))
        case .longer(let count): reply.body += [UInt8](repeating: 0x58, count: count)
        case .extraBytes(let count): reply.extra = [UInt8](repeating: 0x58, count: count)
        case .truncated(let percent): reply.body = Array(reply.body.prefix(reply.body.count * percent / 100))
        case .chunked: reply.isChunked = true
        case .unframed: reply.isUnframed = true
        case .twoLengths: reply.fields.append(("Content-Length", "\(reply.body.count + 1)"))
        case .notHTTP: reply.raw = Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8)
        case .headLength(let length) where request.method == "HEAD": reply.toldLength = length

        case .status(let status, let retryAfter):
            reply = FaultReply(page: "<html><body>\(status)</body></html>", status: status)
            if let retryAfter { reply.set("Retry-After", retryAfter) }
        case .loginRequired:
            reply = FaultReply(page: "<html><body>log in</body></html>", status: 401)
            reply.set("WWW-Authenticate", "Basic realm=\"test\"")
        case .loginPage:
            reply = FaultReply(page: "<html><body><form>Password <input type=\"password\" name=\"p\"></form></body></html>")
        case .gzip:
            reply.set("Content-Encoding", "gzip")
            reply.body = GzipStored.encode(reply.body)
        case .contentType(let type): reply.set("Content-Type", type)
        case .field(let name, let value): reply.set(name, value)

        case .changingEntityTag: if reply["ETag"] != nil { reply.set("ETag", "\"v1-\(number)\"") }
        case .weakEntityTag: if let tag = reply["ETag"] { reply.set("ETag", "W/" + tag) }
        case .twoEntityTags: if reply["ETag"] != nil { reply.fields.append(("ETag", "\"another\"")) }
        case .noEntityTag: reply.set("ETag", nil)
        case .noValidator:
            reply.set("ETag", nil)
            reply.set("Last-Modified", nil)

        case .redirect(let status, let base): reply = FaultReply(status, [("Location", base + request.target)])
        case .redirectTo(let place): reply = FaultReply(302, [("Location", place)])
        case .redirectLoop: reply = FaultReply(302, [("Location", request.target)])

        case .ignoresRange, .otherRange, .wholeWithContentRange, .bodyFromStart, .multipart, .close, .reset, .stall, .drip, .otherVersion,
            .otherLength,
            .headLength, .hrefs, .doubledEntries, .deeperEntries, .withoutItself, .itselfAgain, .failedPropertiesFirst, .empty,
            .insufficientStorage, .entityBomb, .manyEntries, .dates, .withoutSizes, .roundedSizes, .withoutDAVField:
            break
        }
    }

    /// Changes first byte, last byte and total of a `Content-Range`.
    private func rewriteRange(_ reply: inout FaultReply, _ change: (Int, Int, Int) -> (Int, Int, Int)) {
        guard reply.status == 206, let text = reply["Content-Range"] else { return }
        let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
        guard numbers.count == 3 else { return }
        let (first, last, total) = change(numbers[0], numbers[1], numbers[2])
        reply.set("Content-Range", "bytes \(first)-\(last)/\(total)")
    }

    private func makeMultipart(_ reply: inout FaultReply) {
        let head = "--edge\r\nContent-Type: application/octet-stream\r\nContent-Range: \(reply["Content-Range"] ?? "")\r\n\r\n"
        reply.body = Array(head.utf8) + reply.body + Array("\r\n--edge--\r\n".utf8)
        reply.set("Content-Type", "multipart/byteranges; boundary=edge")
        reply.set("Content-Range", nil)
    }
}
