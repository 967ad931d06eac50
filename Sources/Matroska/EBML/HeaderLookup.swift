import Bytes

/// What stands at a place of the file, as far as a piece tells.
enum HeaderLookup {
    case header(ElementHeader)
    case need(FileRange)
    case invalid(MatroskaError.Code)
    /// The room ends inside the header.
    case truncated
}

extension FilePiece {
    /// The element header at `position`; bytes from `end` on belong to something else and are not looked at.
    func header(at position: UInt64, end: UInt64) -> HeaderLookup {
        guard position < end else { return .truncated }
        let room = end - position
        switch ElementHeader.parse(tail(from: position, limit: room), position: position) {
        case .header(let header): return .header(header)
        case .invalid(let code): return .invalid(code)
        case .short:
            let count = min(room, ElementHeader.maximumLength)
            guard slice(at: position, count: count) == nil else { return .truncated }
            return .need(FileRange(offset: position, end: position + count))
        }
    }

    /// The data of an element that is known to end inside the file, or `nil`: then `header.dataRange` is needed.
    func body(of header: ElementHeader, path: [ElementID]) -> ElementBody? {
        guard let size = header.size, let bytes = slice(at: header.dataStart, count: size) else { return nil }
        return ElementBody(id: header.id, bytes: bytes, position: header.dataStart, path: path)
    }
}

extension ElementHeader {
    /// Header and data; up to the header's end only when the size is unknown.
    var range: FileRange { FileRange(offset: position, end: end ?? dataStart) }
}
