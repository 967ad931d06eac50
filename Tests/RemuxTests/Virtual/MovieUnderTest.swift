import Bytes
import MP4
import Matroska
import TestSupport

@testable import Remux

/// A virtual MP4 over a source in memory, which counts what is read of it.
final class MovieUnderTest {
    let source: [UInt8]
    let movie: VirtualMovie
    /// Of the opening, range by range.
    let opened: [FileRange]
    /// Of the regions that were built.
    private(set) var worst = RegionFallback.nothing
    private(set) var fetched: [FileRange] = []
    /// Bytes that a piece has more than was asked for.
    var surplus: UInt64 = 0

    struct Refused: Error { var reason: VirtualRefusal }

    /// - Parameter surplus: bytes that the pieces of the opening have more than was asked for.
    init(_ source: [UInt8], name: String = "film.mkv", surplus: UInt64 = 0) throws {
        self.source = source
        self.surplus = surplus
        let size = VirtualSize(name: name, source: UInt64(source.count)) ?? .matroska(source: UInt64(source.count))
        var opening = VirtualOpening(size), pieces: [FilePiece] = [], opened: [FileRange] = []
        while true {
            switch opening.next(pieces) {
            case .need(let ranges):
                opened += ranges
                pieces = ranges.map { Self.piece(source, $0, surplus) }
            case .done(let movie):
                self.movie = movie
                self.opened = opened
                return
            case .refused(let reason): throw Refused(reason: reason)
            }
        }
    }

    private static func piece(_ source: [UInt8], _ range: FileRange, _ surplus: UInt64) -> FilePiece {
        let start = Int(range.offset), end = Int(min(UInt64(source.count), range.end + surplus))
        return FilePiece(offset: range.offset, bytes: Array(source[start..<max(start, end)]))
    }

    func region(_ index: Int, from checkpoint: RegionBuild.Checkpoint? = nil) -> VirtualRegion {
        var build = movie.build(index, from: checkpoint), piece = FilePiece.empty
        while true {
            switch build.next(piece) {
            case .need(let range):
                fetched.append(range)
                piece = Self.piece(source, range, surplus)
            case .done(let region):
                worst = max(worst, region.fallback)
                return region
            }
        }
    }

    func bytes(_ layout: VirtualLayout, _ range: FileRange) -> [UInt8] {
        layout.slices(range).reduce(into: []) { result, slice in
            switch slice {
            case .literal(let bytes): result += bytes
            case .zeros(let count): result += [UInt8](repeating: 0, count: Int(count))
            case .source(let range): result += source[Int(range.offset)..<Int(range.end)]
            }
        }
    }

    /// As a reader gets it that knows nothing but the movie.
    func read(_ offset: UInt64, _ count: UInt64) -> [UInt8] {
        var result: [UInt8] = [], position = offset
        let end = min(offset + count, movie.size)
        while position < end, let place = movie.place(of: position) {
            switch place {
            case .header: result += bytes(movie.header, FileRange(offset: position, end: min(end, movie.header.size)))
            case .tail(let start): result += bytes(movie.tail, FileRange(offset: start, end: start + (end - position)))
            case .region(let index):
                let own = movie.regions.place(index)
                let part = FileRange(offset: position - own.lowerBound, end: min(end, own.upperBound) - own.lowerBound)
                result += bytes(region(index).layout, part)
            }
            position = offset + UInt64(result.count)
        }
        return result
    }

    /// The whole file, region by region, each from the checkpoint that the one before it left.
    func dump() -> [UInt8] {
        var result = bytes(movie.header, FileRange(offset: 0, end: movie.header.size))
        var checkpoint: RegionBuild.Checkpoint?
        for index in 0..<movie.regions.count {
            let region = region(index, from: checkpoint)
            result += bytes(region.layout, FileRange(offset: 0, end: region.layout.size))
            checkpoint = region.next
        }
        return result + bytes(movie.tail, FileRange(offset: 0, end: movie.tail.size))
    }
}
