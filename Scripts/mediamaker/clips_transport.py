"""MPEG transport stream clips."""

import os

import transport
from catalogue import CARRIED, clip, muxed, track
from clips_rewritten import field_coded

muxed("h264-aac.ts", "H.264 with B-pyramid, AAC in ADTS", "v-h264", "a-aac", bframes=True)
muxed("h264-open-gop-ac3.ts", "open GOPs, AC-3", "v-h264-open", "a-ac3", bframes=True)
muxed("h264-long-gop-eac3.ts", "one key frame, E-AC-3", "v-h264-long", "a-eac3", bframes=True)
muxed("h264-mp3.ts", "MP3", "v-h264-plain", "a-mp3")
muxed("h264-dts.ts", "DTS", "v-h264", "a-dts", bframes=True)
muxed("h264-opus.ts", "Opus", "v-h264", "a-opus", bframes=True)
muxed("hevc-aac.ts", "HEVC", "v-hevc", "a-aac", bframes=True)
muxed("hevc-open-gop-ac3.ts", "HEVC with CRA and RASL pictures", "v-hevc-open", "a-ac3", bframes=True)
muxed("hevc-hdr10.ts", "HDR10 stated in SEI alone", "v-hevc-hdr", "a-aac", bframes=True, hdr=True)
muxed("mpeg2-mp2.ts", "MPEG-2 video and MP2, as broadcast", "v-mpeg2", "a-mp2", bframes=True)
muxed("mpeg2-interlaced-ac3.ts", "interlaced MPEG-2 video", "v-mpeg2-fields", "a-ac3", bframes=True, interlaced=True)
muxed("mpeg1-mp2.ts", "MPEG-1 video", "v-mpeg1", "a-mp2", bframes=True)
muxed("h264-vfr.ts", "variable frame rate", "v-h264-vfr", "a-aac", bframes=True, vfr=True)
muxed("h264-mbaff.ts", "interlaced H.264", "v-h264-mbaff", "a-aac", bframes=True, interlaced=True)
muxed("aac-44k.ts", "a sampling rate that 90 kHz does not divide", "v-h264", "a-aac-44", bframes=True)
muxed("audio-late.ts", "sound that begins half a second late", "v-h264", "a-aac", inputs={"a-aac": ["-itsoffset", "0.5"]}, start_offset=0.5)
muxed("video-lengths.ts", "PES lengths on the picture as well", "v-h264", "a-aac", options=["-omit_video_pes_length", "0"], bframes=True)
muxed("m2ts.m2ts", "packets of 192 bytes", "v-h264", "a-ac3", options=["-mpegts_m2ts_mode", "1", "-f", "mpegts"], bframes=True)
muxed("wrap.ts", "the 33 bit clock passes zero in the middle", "v-h264", "a-aac", options=["-output_ts_offset", "95440.3"], bframes=True, wrap=True)
muxed("large-start.ts", "times that begin at five hours", "v-h264", "a-aac", options=["-output_ts_offset", "18000"], start=18000)
muxed("audio-only.ts", "sound alone", "a-aac")
muxed("one-frame.ts", "one picture", "v-h264", options=["-frames:v", "1"])
muxed(
    "languages.ts",
    "two audio tracks with language descriptors",
    "v-h264",
    "a-aac",
    "a-ac3",
    bframes=True,
    languages=["und", "eng", "deu"],
    options=["-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu"],
)
muxed(
    "system-b.ts", "interlaced pictures, tables as DVB wants them", "v-h264-mbaff", "a-mp2", options=["-mpegts_flags", "+system_b"], interlaced=True
)
muxed(
    "private-ac3.ts",
    "AC-3 as DVB has it: private data and a descriptor",
    "v-h264",
    "a-ac3",
    options=["-mpegts_flags", "+system_b"],
    bframes=True,
)
muxed(
    "private-eac3.ts",
    "E-AC-3 as DVB has it, HEVC",
    "v-hevc",
    "a-eac3",
    options=["-mpegts_flags", "+system_b"],
    bframes=True,
)


@clip("latm.ts", "AAC in LATM", track("v-h264"), ("audio", "aac_latm", CARRIED, "out of its LATM framing"), bframes=True, decoded_audio=True)
def _(studio, path):
    studio.mux(path, "v-h264", "a-aac", options=["-mpegts_flags", "latm"])


@clip("h264-field-coded.ts", "each field a picture of its own (PAFF), both in one PES packet", ("video", "h264", CARRIED, ""), interlaced=True)
def _(studio, path):
    source = studio.temporary("fields.mkv")
    field_coded(studio, source)
    studio.mux(path, source)
    os.unlink(source)


@clip(
    "two-programs.ts",
    "two programs, each with picture and sound",
    "v-h264",
    "a-aac",
    ("video", "mpeg2video", "carried or left out", "of another program"),
    ("audio", "mp2", "carried or left out", "of another program"),
    programs=2,
)
def _(studio, path):
    studio.mux(path, "v-h264", "a-aac", "v-mpeg2", "a-mp2", options=["-program", "title=One:st=0:st=1", "-program", "title=Two:st=2:st=3"])


def stream(studio, *parts, options=()):
    path = studio.temporary("plain-" + "-".join(parts) + ".ts")
    studio.mux(path, *parts, options=options)
    with open(path, "rb") as file:
        data = file.read()
    os.unlink(path)
    return data


def changed(file, purpose, change, *parts, verdict="carried", why="", options=(), **facts):
    """Registers a clip that is a plain stream with its packets changed."""

    @clip(file, purpose, *parts, verdict=verdict, why=why, **facts)
    def make(studio, path):
        with open(path, "wb") as out:
            out.write(change(stream(studio, *parts, options=options)))


BASIC = ("v-h264", "a-aac")
SAME = {"reference": "h264-aac.ts", "damage": True}
changed("packets-204.ts", "packets of 204 bytes", transport.packets_of_204, *BASIC, bframes=True)
changed("late-tables.ts", "PAT and PMT only after a quarter of the file", transport.late_tables, *BASIC, least_share=0.6, **SAME)
changed("truncated.ts", "cut short in the middle of a packet", lambda data: data[: len(data) * 2 // 3 + 77], *BASIC, least_share=0.6, **SAME)
changed("garbage-front.ts", "foreign bytes in front", lambda data: transport.damaged(data, 0, 5001), *BASIC, least_share=1.0, **SAME)
changed(
    "garbage-between.ts",
    "foreign bytes in the middle, twice",
    lambda data: transport.damaged(transport.damaged(data, 0.4, 1000), 0.7, 333),
    *BASIC,
    least_share=0.9,
    **SAME
)
changed(
    "packet-lost.ts",
    "three packets lost",
    lambda data: b"".join(p for i, p in enumerate(transport.packets(data)) if i not in (500, 700, 900)),
    *BASIC,
    least_share=0.8,
    **SAME
)
changed("duplicates.ts", "packets that come twice", transport.duplicated, *BASIC, bframes=True, reference="h264-aac.ts")
changed("scrambled.ts", "the scrambling flag on every stream", transport.scrambled, *BASIC, verdict="refused", why="scrambled")
changed(
    "scrambled-sound.ts",
    "the scrambling flag on the sound alone",
    lambda data: transport.scrambled(data, only=set(transport.stream_pids(data)[1:])),
    *BASIC,
    verdict="refused",
    why="no audio track can go: scrambled"
)
changed(
    "missing-pts.ts",
    "every second audio PES has no PTS",
    lambda data: transport.without_pts(data, transport.stream_pids(data)[1]),
    *BASIC,
    bframes=True
)
changed(
    "unaligned-audio.ts",
    "audio frames across PES borders",
    lambda data: transport.unaligned(data, transport.stream_pids(data)[1], 60, 1920),
    *BASIC,
    bframes=True
)
changed(
    "unaligned-ac3.ts",
    "AC-3 frames across PES borders",
    lambda data: transport.unaligned(data, transport.stream_pids(data)[1], 301, 2880),
    "v-h264",
    "a-ac3",
    bframes=True,
)
changed(
    "null-packets.ts",
    "as many null packets as others",
    lambda data: b"".join(p + transport.NULL for p in transport.packets(data)),
    *BASIC,
    bframes=True
)


def joined(file, purpose, first, second, *parts, **facts):
    """Registers a clip of two streams one behind the other; the parts of the second may be others of the same codecs."""

    @clip(file, purpose, *parts, **facts)
    def make(studio, path):
        with open(path, "wb") as out:
            out.write(stream(studio, *parts, options=first) + stream(studio, *parts, options=second))


joined("discontinuity.ts", "two segments, the second begins at zero again", ["-output_ts_offset", "1000"], [], *BASIC, bframes=True, segments=2)
joined(
    "discontinuity-forward.ts", "two segments, the second begins an hour later", [], ["-output_ts_offset", "3600"], *BASIC, bframes=True, segments=2
)
joined(
    "pmt-change.ts",
    "the program map names other PIDs from the middle on; the second part begins behind the end of the first",
    [],
    ["-output_ts_offset", "4.2", "-mpegts_start_pid", "0x200", "-tables_version", "1"],
    *BASIC,
    bframes=True,
    pmt_change=True,
    segments=2
)


@clip("empty.ts", "no bytes at all", verdict="refused", why="empty")
def _(_, path):
    open(path, "wb").close()


@clip("typescript.ts", "a source text that bears the same extension", verdict="refused", why="not a film", container="text")
def _(_, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("export interface Good {\n  name: string;  // G is 0x47\n}\n\nexport const goods: Good[] = [];\n" * 60)
