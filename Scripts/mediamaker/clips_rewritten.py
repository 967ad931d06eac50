"""Matroska clips that need a writer of our own: lacing, sizes, indexes, encodings and damage."""

import os

import annexb
import ebml
import matroska
from catalogue import CARRIED, LEFT, NO_MP4, clip
from clips_merged import matroska as plain
from matroska import CODEC, NUMBER, PRIVATE, Film, Frame, Track

JUNK = bytes((i * i + 11 * i) & 0xFF for i in range(3000))


def film(studio, *parts):
    source = plain(studio, *parts)
    try:
        return Film(source)
    finally:
        os.unlink(source)


def rewritten(file, purpose, *parts, change=None, verdict="carried", why="", facts=None, **options):
    """Registers a clip that is read back, changed and written by our writer."""

    @clip(file, purpose, *parts, verdict=verdict, why=why, **(facts or {}))
    def make(studio, path):
        made = film(studio, *(part for part in parts if not isinstance(part, tuple)))
        more = change(made) if change else None
        made.write(path, **{**options, **(more or {})})


BASIC = ("v-h264", "a-aac")
LACED = {"laced": True, "bframes": True}
rewritten("lacing-xiph.mkv", "Xiph lacing, frames above 255 bytes", *BASIC, lacing="xiph", facts=LACED)
rewritten("lacing-ebml.mkv", "EBML lacing, sizes that rise and fall", *BASIC, lacing="ebml", facts=LACED)
rewritten("lacing-fixed.mkv", "fixed lacing", "v-h264", "a-ac3", lacing="fixed", facts=LACED)
rewritten("lacing-ebml-256.mkv", "as many frames in a lace as its count can say", *BASIC, lacing="ebml", per_block=255, facts=LACED)
rewritten("header-stripping.mkv", "header stripping of both tracks", "v-h264", "a-ac3", change=matroska.strip_headers)
rewritten("cues-wrong.mkv", "Cues that point into nowhere", *BASIC, cues="wrong", facts={"index": "wrong"})
rewritten("cues-front.mkv", "Cues between tracks and clusters, by our writer", *BASIC, cues="front")
rewritten(
    "unknown-clusters.mkv",
    "segment and clusters of unknown size",
    *BASIC,
    unknown_segment=True,
    unknown_clusters=True,
    cues="none",
    facts={"unknown_size": True},
)
rewritten(
    "voids.mkv",
    "voids and unknown elements between clusters",
    *BASIC,
    before=ebml.element(0xEC, b"\0" * 5000),
    between=lambda i: ebml.element(0xEC, b"\0" * (17 * i)) + ebml.element(0x4FFE, b"unknown"),
)
rewritten(
    "garbage-between.mkv",
    "foreign bytes in front of two clusters",
    *BASIC,
    between=lambda i: JUNK if i in (1, 3) else b"",
    cues="none",
    facts={"damage": True, "reference": "h264-aac.mkv", "least_share": 0.95},
)


def ticks(made):
    for frame in made.frames:
        frame.time = frame.time * 4 + (1 if frame.time else 0)
    made.scale //= 4


rewritten("timestamp-scale.mkv", "ticks of a quarter millisecond", *BASIC, change=ticks, facts={"bframes": True}, cluster=4000)


def negative(made):
    for frame in made.frames:
        frame.time -= 200


rewritten("negative-start.mkv", "times that begin below zero", *BASIC, change=negative, facts={"start": -0.2})


def with_block_groups(made):
    """Pictures in BlockGroups with durations and additions, as alpha channels and HDR10+ come."""
    for frame in made.of(made.track(1)):
        frame.duration, frame.additions = 40, ((1, b"side data"), (4, b"\xb5\0\x3c"))


rewritten("block-additions.mkv", "BlockGroups with durations and BlockAdditions", *BASIC, change=with_block_groups, facts={"bframes": True})


def start_codes(made):
    """What some recorders write: start codes where lengths belong, the parameter sets in front of each key frame as well."""
    pictures = made.track(1)
    units = annexb.avcc_units(pictures.elements[PRIVATE])
    pictures.elements[PRIVATE] = annexb.with_start_codes(units)
    for frame in made.of(pictures):
        frame.data = annexb.with_start_codes((units if frame.key else []) + annexb.split_lengths(frame.data))


rewritten("annexb.mkv", "H.264 with start codes wrongly inside Matroska", *BASIC, change=start_codes, facts={"annexb": True})


def dolby_vision(made):
    """Profile 8.1 as the container states it; the RPUs themselves are not there."""
    record = bytes([1, 0, 0x10, 0x25, 0x10]) + b"\0" * 19
    mapping = [ebml.text(0x41A4, "Dolby Vision configuration"), ebml.unsigned(0x41E7, 0x64767643), ebml.element(0x41ED, record)]
    made.track(1).elements[0x41E4] = b"".join(mapping)


rewritten("dolby-vision.mkv", "Dolby Vision stated by the container", "v-hevc-hdr", "a-aac", change=dolby_vision, facts={"bframes": True, "hdr": True})


@clip(
    "joined.mkv",
    "two films one behind the other in one file: the second is left out",
    *BASIC,
    bframes=True,
    damage=True,
    reference="h264-aac.mkv",
    least_share=1.0,
)
def _(studio, path):
    with open(path, "wb") as out:
        for _ in range(2):
            source = plain(studio, *BASIC)
            with open(source, "rb") as file:
                out.write(file.read())
            os.unlink(source)


def encrypted(made):
    made.track(1).elements[0x6D80] = matroska.encoding(1, [ebml.unsigned(0x47E1, 5), ebml.element(0x47E2, b"\x11" * 16)])


rewritten("encrypted.mkv", "an encrypted picture track", *BASIC, change=encrypted, verdict="refused", why="encrypted")


def encrypted_sound(made):
    sound = Track(b"")
    sound.elements = dict(made.track(2).elements)
    sound.elements[NUMBER], sound.elements[matroska.UID] = b"\x03", b"\x77"
    sound.elements[0x6D80] = matroska.encoding(1, [ebml.unsigned(0x47E1, 5)])
    made.tracks.append(sound)
    made.frames += [Frame(3, frame.time, frame.key, frame.data) for frame in made.of(made.track(2))]
    made.frames.sort(key=lambda frame: frame.time // 500)


rewritten("encrypted-second-audio.mkv", "one of two audio tracks is encrypted", *BASIC, ("audio", "aac", LEFT, "encrypted"), change=encrypted_sound)


def real_video(made):
    made.track(1).elements[CODEC] = b"V_REAL/RV40"
    made.track(1).elements[PRIVATE] = bytes(26)


@clip("realvideo.mkv", "RealVideo by its name alone", ("video", "rv40", LEFT, NO_MP4), "a-aac", verdict="refused", why="no video track can go")
def _(studio, path):
    made = film(studio, *BASIC)
    real_video(made)
    made.write(path)


def bitmap_subtitles(made):
    made.tracks += [Track.new(3, 17, "S_HDMV/PGS"), Track.new(4, 17, "S_VOBSUB", b"size: 320x180\npalette: " + b", ".join([b"000000"] * 16) + b"\n")]
    made.frames += [
        Frame(3, 500, True, b"\x16\x00\x0b\x01\x40\x00\xb4\x10\x00\x00\x80\x00\x00\x00\x80\x00\x00", 400),
        Frame(4, 900, True, b"\x00\x08\x00\x04\x00\x00\x00\x04", 400),
    ]
    made.frames.sort(key=lambda frame: frame.time // 500)


rewritten(
    "subtitles-bitmap.mkv",
    "PGS and VobSub: recognised, not carried",
    *BASIC,
    ("subtitle", "hdmv_pgs_subtitle", LEFT, NO_MP4),
    ("subtitle", "dvd_subtitle", LEFT, NO_MP4),
    change=bitmap_subtitles,
)


def signalled_sbr(made):
    """The same AAC, said to be HE-AAC: AudioSpecificConfig with the backward compatible extension (ISO/IEC 14496-3, 1.6.5)."""
    made.track(2).elements[PRIVATE] = made.track(2).elements[PRIVATE][:2] + b"\x56\xe5\x98"


rewritten("aac-sbr-signalled.mkv", "AAC at 24 kHz whose configuration states SBR at 48 kHz", "v-h264", "a-aac-24", change=signalled_sbr)


def headers_only(made):
    made.frames = []


rewritten("no-frames.mkv", "tracks and no frame", *BASIC, change=headers_only, verdict="refused", why="nothing in it", cues="none")


@clip("h264-field-coded.mkv", "each field a picture of its own (PAFF), both in one block", ("video", "h264", CARRIED, ""), interlaced=True)
def field_coded(_, path):
    made = Film()
    sps, pps, pictures = annexb.field_coded()
    private = b"\x01" + sps[1:4] + b"\xff\xe1" + len(sps).to_bytes(2, "big") + sps + b"\x01" + len(pps).to_bytes(2, "big") + pps
    video = Track.new(1, 1, "V_MPEG4/ISO/AVC", private)
    video.elements[0xE0] = ebml.unsigned(0xB0, 64) + ebml.unsigned(0xBA, 64) + ebml.unsigned(0x9A, 1)
    video.elements[0x23E383] = (40_000_000).to_bytes(4, "big")
    made.tracks = [video]
    made.frames = [Frame(1, 40 * i, i == 0, annexb.with_lengths(fields)) for i, fields in enumerate(pictures)]
    made.write(path)


def cut(file, purpose, source, change, verdict="carried", why="", tracks=BASIC, **facts):
    """Registers a clip that is another one with its bytes changed."""

    @clip(file, purpose, *tracks, verdict=verdict, why=why, **facts)
    def make(studio, path):
        made = studio.temporary("whole-" + source)
        studio.mux(made, *tracks) if tracks else open(made, "wb").close()
        with open(made, "rb") as file_, open(path, "wb") as out:
            out.write(change(file_.read()))
        os.unlink(made)


cut(
    "truncated.mkv",
    "cut short in the middle of a frame",
    "h264-aac.mkv",
    lambda data: data[: len(data) * 2 // 3],
    damage=True,
    reference="h264-aac.mkv",
    least_share=0.55,
)
cut(
    "flipped.mkv",
    "a hundred bytes overwritten in the middle",
    "h264-aac.mkv",
    lambda data: data[: len(data) // 2] + JUNK[:100] + data[len(data) // 2 + 100 :],
    damage=True,
    reference="h264-aac.mkv",
    least_share=0.5,
)
cut("header-only.mkv", "cut short behind its first bytes", "h264-aac.mkv", lambda data: data[:60], verdict="refused", why="nothing in it")
cut("empty.mkv", "no bytes at all", "h264-aac.mkv", lambda data: b"", verdict="refused", why="empty", tracks=())
cut("text.mkv", "words instead of Matroska", "h264-aac.mkv", lambda data: b"this is no film\n" * 4000, verdict="refused", why="not a film", tracks=())
