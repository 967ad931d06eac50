internal import Bytes
internal import Threads

/// Reads of the blocks that are here, each checked once in a daemon's life.
extension ObjectState {
    private enum Step {
        case missing
        case memory([UInt8])
        /// Pinned, checked earlier, as many bytes as said.
        case verified(FileDescriptor, count: Int)
        /// Pinned, one block, not checked yet.
        case unverified(FileDescriptor, check: UInt32)
    }

    /// - Parameter now: the time of use, or `nil` to leave the order of use as it is.
    func read(_ range: FileRange, into buffer: UnsafeMutableRawBufferPointer, now: UInt64?, store: ChunkStore) -> Int {
        guard range.offset < version.size, let base = buffer.baseAddress else { return 0 }
        let wanted = Int(min(UInt64(buffer.count), range.count, version.size - range.offset))
        var done = 0
        while done < wanted {
            let offset = range.offset + UInt64(done)
            let block = Block.number(at: offset)
            let inside = Int(offset % Block.size)
            let rest = UnsafeMutableRawBufferPointer(start: base + done, count: wanted - done)
            switch monitor.locked({ step(block, inside, rest.count, now) }) {
            case .missing:
                return done
            case .memory(let bytes):
                let count = min(bytes.count - inside, rest.count)
                bytes.withUnsafeBytes { rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[inside..<(inside + count)])) }
                done += count
            case .verified(let file, let count):
                let got = file.read(UnsafeMutableRawBufferPointer(rebasing: rest.prefix(count)), at: offset)
                unpin(block, Block.number(at: offset + UInt64(count) - 1))
                done += got
                if got < count {
                    forget(Block.number(at: offset + UInt64(got)), ifCheckIs: nil, store: store)
                    return done
                }
            case .unverified(let file, let check):
                let count = verify(block, inside, check, file, rest)
                unpin(block, block)
                guard let count else {
                    forget(block, ifCheckIs: check, store: store)
                    return done
                }
                done += count
            }
        }
        return done
    }

    private func step(_ block: UInt64, _ inside: Int, _ wanted: Int, _ now: UInt64?) -> Step {
        if !pending.isEmpty, let bytes = pending[block] { return inside < bytes.count ? .memory(bytes) : .missing }
        let place = ObjectState.place(block)
        guard let chunk = chunk(place.chunk), chunk.check(place.index) != 0, let files = opened() else { return .missing }
        if let now {
            chunk.touch(place.index, now)
            unsaved = true
        }
        guard chunk.isVerified(place.index) else {
            return pin(chunk, place.index, place.index) ? .unverified(files.data, check: chunk.check(place.index)) : .missing
        }
        var last = place.index
        var count = Int(Block.size) - inside
        while count < wanted, last + 1 < Int(BlockChunk.blocks), chunk.isVerified(last + 1) {
            last += 1
            count += Int(Block.size)
            if let now { chunk.touch(last, now) }
        }
        return pin(chunk, place.index, last) ? .verified(files.data, count: min(count, wanted)) : .missing
    }

    /// Reads the whole block, checks it, and copies what is wanted; `nil` when it is not what was stored.
    func verify(_ block: UInt64, _ inside: Int, _ check: UInt32, _ file: FileDescriptor, _ wanted: UnsafeMutableRawBufferPointer) -> Int? {
        let whole = Block.range(block, fileSize: version.size)
        let length = Int(whole.count)
        let count = min(length - inside, wanted.count)
        let isRight: Bool
        if inside == 0, count == length {
            let target = UnsafeMutableRawBufferPointer(rebasing: wanted[..<length])
            isRight = file.read(target, at: whole.offset) == length && self.check(block, UnsafeRawBufferPointer(target)) == check
        } else {
            let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 64)
            defer { scratch.deallocate() }
            isRight = file.read(scratch, at: whole.offset) == length && self.check(block, UnsafeRawBufferPointer(scratch)) == check
            if isRight { wanted.copyMemory(from: UnsafeRawBufferPointer(rebasing: scratch[inside..<(inside + count)])) }
        }
        guard isRight else { return nil }
        monitor.locked {
            let place = ObjectState.place(block)
            if let chunk = chunks[place.chunk], chunk.check(place.index) == check { chunk.setVerified(place.index) }
        }
        return count
    }

    func pin(_ chunk: BlockChunk, _ first: Int, _ last: Int) -> Bool {
        guard chunk.pin(first, last) else { return false }
        readers += 1
        return true
    }

    func unpin(_ first: UInt64, _ last: UInt64) {
        monitor.locked {
            chunks[first / BlockChunk.blocks]?.unpin(ObjectState.place(first).index, ObjectState.place(last).index)
            readers -= 1
        }
    }

    /// The block failed: it is missing from now on.
    func forget(_ block: UInt64, ifCheckIs check: UInt32?, store: ChunkStore) {
        let isForgotten = monitor.locked {
            let place = ObjectState.place(block)
            guard let chunk = chunks[place.chunk], chunk.check(place.index) != 0, check == nil || chunk.check(place.index) == check else {
                return false
            }
            chunk.set(place.index, check: 0)
            unsaved = true
            return true
        }
        if isForgotten { store.foundBad(block, of: self) }
    }
}
