/// EC3SpecificBox (ETSI TS 102 366 §F.6): MP4's `dec3`.
package struct EAC3Configuration: Hashable, Sendable, DecoderConfiguration {
    package struct Substream: Hashable, Sendable {
        package let frame: AC3Frame
        package private(set) var dependents = 0
        /// chan_loc (§F.6.2.13): the pairs and channels that the dependent substreams add.
        package private(set) var locations: UInt16 = 0

        init(_ frame: AC3Frame) { self.frame = frame }

        mutating func add(dependent frame: AC3Frame) {
            dependents += 1
            guard let map = frame.channelMap else { return }
            // chanmap counts from the highest bit, chan_loc from the lowest: Lc/Rc … Cvh are bits 5…12 there and 0…7 here.
            for bit in 0..<8 where map & (0x8000 >> UInt16(5 + bit)) != 0 { locations |= 1 << UInt16(bit) }
            if map & 0x0002 != 0 { locations |= 0x100 }  // LFE2
        }
    }

    package private(set) var substreams: [Substream] = []
    /// Bytes of the access unit the configuration comes from.
    private var size = 0

    /// From one access unit: an independent substream 0, whatever depends on it, and further independent substreams.
    package init(accessUnit bytes: [UInt8]) throws(CodecError) {
        var position = 0
        while position < bytes.count {
            guard let frame = AC3Frame(bytes[position...]), frame.isEnhanced, frame.size <= bytes.count - position else {
                if substreams.isEmpty { throw CodecError(.malformed, "E-AC-3: no whole frame") }
                break
            }
            if frame.kind == .dependent {
                guard !substreams.isEmpty else { throw CodecError(.malformed, "E-AC-3: starts with a dependent substream") }
                substreams[substreams.count - 1].add(dependent: frame)
            } else {
                // A second substream 0 is the next access unit.
                if !substreams.isEmpty, frame.substream == 0 { break }
                substreams.append(Substream(frame))
            }
            position += frame.size
        }
        guard !substreams.isEmpty else { throw CodecError(.truncated, "E-AC-3: empty") }
        size = position
    }

    /// Samples per channel of one access unit.
    package var samples: Int { substreams.first?.frame.samples ?? 1536 }
    package var samplingRate: UInt32 { substreams.first?.frame.samplingRate ?? 48000 }

    /// Channels of the first program.
    package var channels: Int {
        guard let first = substreams.first else { return 0 }
        // Pairs: Lc/Rc, Lrs/Rrs, Lsd/Rsd, Lw/Rw, Lvh/Rvh.
        let pairs = (first.locations & 0b0111_0011).nonzeroBitCount * 2
        return first.frame.channels + pairs + (first.locations & 0b1_1000_1100).nonzeroBitCount
    }

    /// kbit/s, as far as one access unit tells.
    package var dataRate: Int { samples > 0 ? size * 8 * Int(samplingRate) / samples / 1000 : 0 }

    package var boxType: String { "dec3" }

    package var boxPayload: [UInt8] {
        var writer = BitWriter()
        let substreams = substreams.prefix(8)
        writer.put(min(dataRate, 0x1FFF), 13)
        writer.put(substreams.count - 1, 3)
        for substream in substreams {
            writer.put(substream.frame.rateCode, 2)
            writer.put(substream.frame.version, 5)
            writer.put(0, 2)  // reserved, asvc
            writer.put(substream.frame.mode, 3)
            writer.put(substream.frame.channelMode, 3)
            writer.put(substream.frame.hasLowFrequency)
            writer.put(0, 3)
            writer.put(min(substream.dependents, 15), 4)
            writer.put(substream.dependents > 0 ? substream.locations : 0, substream.dependents > 0 ? 9 : 1)
        }
        return writer.bytes
    }
}
