package import Bytes
package import Matroska

/// Opens a source: reads its head and index, and a little of its frames, and answers its virtual MP4. What kind of file it is
/// says its content, not its name.
///
/// Call `next([])`, answer each `.need(ranges)` with one piece per range, in the same order; each piece may hold more than its
/// range. The ranges of one step do not depend on each other: they can be fetched together. What comes out is a function of the
/// source alone.
package struct VirtualOpening: Sendable {
    package enum Step: Sendable {
        case need([FileRange])
        case done(VirtualMovie)
        case refused(VirtualRefusal)
    }

    private enum Stage: Sendable {
        case start
        case matroska(MatroskaOpening)
        case transport(TransportOpening)
    }

    private let size: VirtualSize
    private var stage = Stage.start

    package init(_ size: VirtualSize) { self.size = size }

    package mutating func next(_ pieces: [FilePiece]) -> Step {
        while true {
            switch stage {
            case .start:
                let range = FileRange(offset: 0, count: 4, fileSize: size.source)
                guard let bytes = pieces.first?.slice(range) else { return .need([range]) }
                // The EBML header's ID (RFC 8794 §11.2).
                let isMatroska = bytes.elementsEqual([0x1A, 0x45, 0xDF, 0xA3])
                stage = isMatroska ? .matroska(MatroskaOpening(size)) : .transport(TransportOpening(size))
            case .matroska(var opening):
                let step = opening.next(pieces)
                stage = .matroska(opening)
                return step
            case .transport(var opening):
                let step = opening.next(pieces)
                stage = .transport(opening)
                return step
            }
        }
    }
}
