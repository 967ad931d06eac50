import TestSupport
import Testing

@testable import MP4

@Suite("Bytes of boxes, field by field")
struct GoldenTests {
    @Test("tkhd")
    func trackHeader() throws {
        let expected = hex(
            """
            0000005C 746B6864  # size, tkhd
            00 000007          # version, enabled + in movie + in preview
            00000000 00000000  # created, modified
            00000002 00000000  # track, reserved
            00001388           # duration 5000
            00000000 00000000  # reserved
            0000 0001          # layer, alternate group
            0100 0000          # volume 1.0, reserved
            00010000 00000000 00000000
            00000000 00010000 00000000
            00000000 00000000 40000000
            00000000 00000000  # width, height
            """)
        #expect(Octets(try TrackHeaderBox(track: 2, duration: 5000, alternateGroup: 1, volume: 0x100).bytes()) == Octets(expected))
    }

    @Test("stbl without samples")
    func emptyTable() throws {
        let expected = hex(
            """
            0000005C 7374626C                                    # stbl
            00000010 73747364 00000000 00000000                  # stsd, no entries
            00000010 73747473 00000000 00000000                  # stts
            00000010 73747363 00000000 00000000                  # stsc
            00000014 7374737A 00000000 00000000 00000000         # stsz
            00000010 7374636F 00000000 00000000                  # stco
            """)
        #expect(Octets(try SampleTableBox(SampleDescriptionBox([])).bytes()) == Octets(expected))
    }

    @Test("avc1 with pasp")
    func visual() throws {
        let entry = VisualSampleEntry(
            format: "avc1", width: 640, height: 360, compressor: "ab", children: [try RawBox(PixelAspectBox(horizontal: 1, vertical: 2))])
        let expected = hex(
            """
            00000076 73747364 00000000 00000001            # stsd, one entry
            00000066 61766331 000000000000 0001            # avc1, reserved, data reference
            00000000 00000000 00000000 00000000            # reserved
            0280 0168 00480000 00480000 00000000 0001      # size, 72 dpi, reserved, frames
            02 6162 0000000000000000000000000000000000000000000000000000000000  # name in 32 bytes
            0018 FFFF                                      # depth
            00000010 70617370 00000001 00000002            # pasp
            """)
        #expect(Octets(try SampleDescriptionBox([.visual(entry)]).bytes()) == Octets(expected))
    }

    @Test("mp4a, and the rates that 16 bits cannot hold")
    func audio() throws {
        let entry = AudioSampleEntry(format: "fLaC", channels: 2, rate: 96000, bits: 24, children: [])
        let expected = hex(
            """
            00000034 73747364 00000000 00000001
            00000024 664C6143 000000000000 0001
            00000000 00000000 0002 0018 00000000 BB800000  # version, channels, bits, reserved, 48000
            """)
        #expect(Octets(try SampleDescriptionBox([.audio(entry)]).bytes()) == Octets(expected))
        let lossless = try SampleDescriptionBox([.audio(Samples.lossless)]).bytes()
        #expect(Octets(lossless[48..<52]) == Octets(hex("00017700")))
    }

    @Test("moof")
    func fragment() throws {
        let expected = hex(
            """
            00000074 6D6F6F66                                # moof
            00000010 6D666864 00000000 00000003              # mfhd, sequence 3
            0000005C 74726166                                # traf
            00000018 74666864 00 020028 00000001 000003E9 01010000    # tfhd: base is moof, duration, flags
            00000014 74666474 01 000000 0000000000015F90     # tfdt 90000
            00000028 7472756E 01 000A05 00000002             # trun: offset, first flags, sizes, cts
            00000084 02000000                                # data offset, sync
            00000064 000007D2                                # 100 bytes, +2002
            00000032 00000000                                # 50 bytes
            """)
        let box = MovieFragmentBox(
            sequence: 3,
            tracks: [
                TrackFragmentBox(
                    header: TrackFragmentHeaderBox(track: 1, duration: 1001, flags: .dependent), decodeTime: 90000,
                    runs: [TrackRunBox(count: 2, dataOffset: 0x84, firstFlags: .sync, sizes: [100, 50], offsets: [2002, 0])])
            ])
        #expect(Octets(try box.bytes()) == Octets(expected))
    }

    @Test("sidx, elst, chpl")
    func others() throws {
        let index = SegmentIndexBox(
            track: 1, timescale: 90000, earliestPresentation: 0, firstOffset: 52,
            references: [.init(size: 1000, duration: 180000, access: 0x9000_0000)])
        #expect(
            Octets(try index.bytes())
                == Octets(
                    hex(
                        """
                        00000034 73696478 01 000000 00000001 00015F90  # sidx, track, timescale
                        0000000000000000 0000000000000034 0000 0001    # earliest, first offset, count
                        000003E8 0002BF20 90000000
                        """)))
        #expect(
            Octets(try EditListBox([.init(duration: 0, mediaTime: 2002)]).bytes())
                == Octets(hex("0000001C 656C7374 00000000 00000001 00000000 000007D2 00010000")))
        #expect(
            Octets(try ChapterListBox([.init(start: 10_000_000, title: "A")]).bytes())
                == Octets(hex("0000001B 6368706C 01000000 00000000 01 0000000000989680 01 41")))
    }

    @Test("A size of mdat takes 64 bits only when it must")
    func mediaData() {
        #expect(MediaData.header(dataSize: 0) == hex("00000008 6D646174"))
        #expect(MediaData.header(dataSize: 0xFFFF_FFF7) == hex("FFFFFFFF 6D646174"))
        #expect(MediaData.header(dataSize: 0xFFFF_FFF8) == hex("00000001 6D646174 00000001 00000008"))
        #expect(MediaData.reservedHeader(dataSize: 5) == hex("00000008 66726565 0000000D 6D646174"))
        #expect(MediaData.reservedHeader(dataSize: 0xFFFF_FFF8) == hex("00000001 6D646174 00000001 00000008"))
        #expect(FreeSpace.bytes(size: 7) == nil)
        #expect(FreeSpace.bytes(size: 9) == hex("00000009 66726565 00"))
    }

    @Test("Languages are three letters in 15 bits")
    func language() {
        #expect(LanguageCode("und") == .undetermined)
        #expect(LanguageCode("ENG")?.description == "eng")
        #expect(LanguageCode("en") == nil)
        #expect(LanguageCode("e1g") == nil)
    }
}
