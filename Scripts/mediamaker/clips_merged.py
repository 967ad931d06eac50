"""Matroska clips that mkvmerge makes, and those with text subtitles, chapters, tags and attachments."""

import os

from catalogue import CARRIED, LEFT, NO_MP4, clip

SRT = (
    "1\n00:00:00,200 --> 00:00:01,000\nFirst <i>line</i>\nand a second\n\n2\n00:00:01,500 --> 00:00:02,750\n字幕 – Ünïcode\n\n"
    "3\n00:00:03,000 --> 00:00:03,500\nthe end\n"
)
VTT = "WEBVTT\n\n00:00:00.200 --> 00:00:01.000 align:start\nFirst <i>line</i>\n\n00:00:01.500 --> 00:00:02.750\n<v Anna>字幕</v> &amp; more\n"
ASS = (
    "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Arial,20\n\n[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    "Dialogue: 0,0:00:00.20,0:00:01.00,Default,,0,0,0,,{\\b1}Bold{\\b0}, then\\Na second line\n"
    "Dialogue: 0,0:00:01.50,0:00:02.75,Default,,0,0,0,,{\\pos(10,20)}placed, with commas\n"
)
CHAPTERS = "CHAPTER01=00:00:00.000\nCHAPTER01NAME=Opening\nCHAPTER02=00:00:01.500\nCHAPTER02NAME=第二章\nCHAPTER03=00:00:03.250\nCHAPTER03NAME=End\n"
LANGUAGES = [
    "eng",
    "deu",
    "fra",
    "jpn",
    "zho",
    "spa",
    "ita",
    "por",
    "rus",
    "kor",
    "nld",
    "swe",
    "dan",
    "nor",
    "fin",
    "pol",
    "tur",
    "ara",
    "heb",
    "und",
]


def matroska(studio, *parts, options=()):
    """A plain file of the parts, as an input for mkvmerge and the writers."""
    path = studio.temporary("plain-" + "-".join(parts).replace("/", "_")[:80] + ".mkv")
    studio.mux(path, *parts, options=options)
    return path


def merged(file, purpose, *parts, arguments=(), inner=(), **facts):
    """Registers a clip that mkvmerge writes."""

    @clip(file, purpose, *parts, **facts)
    def make(studio, path):
        source = matroska(studio, *parts)
        studio.run("mkvmerge", "-q", "-o", path, *arguments, *inner, source)
        os.unlink(source)


merged("mkvmerge-aac.mkv", "as mkvmerge writes: EBML lacing and Cues of its own", "v-h264", "a-aac", bframes=True, laced=True)
merged("mkvmerge-hevc-mp3.mkv", "as mkvmerge writes HEVC and MP3", "v-hevc", "a-mp3", bframes=True, laced=True)
merged(
    "zlib.mkv", "zlib compression of picture and sound", "v-h264", "a-ac3", inner=["--compression", "0:zlib", "--compression", "1:zlib"], laced=True
)
merged("no-cues.mkv", "no Cues", "v-h264", "a-aac", inner=["--no-cues"], arguments=[], laced=True)
merged("rotation.mkv", "to be shown turned by 90 degrees", "v-h264", "a-aac", inner=["--projection-pose-roll", "0:90"], rotation=90, laced=True)
merged("no-lacing-cluster-short.mkv", "clusters of two frames, no lacing", "v-h264", "a-aac", arguments=["--disable-lacing", "--cluster-length", "2"])
merged(
    "hdr-flags.mkv",
    "HDR stated by the container alone",
    "v-h264",
    "a-aac",
    hdr=True,
    laced=True,
    inner=[
        "--colour-matrix",
        "0:9",
        "--colour-range",
        "0:1",
        "--colour-transfer-characteristics",
        "0:16",
        "--colour-primaries",
        "0:9",
        "--max-content-light",
        "0:1000",
        "--max-frame-light",
        "0:400",
        "--max-luminance",
        "0:1000",
        "--min-luminance",
        "0:0.01",
        "--chromaticity-coordinates",
        "0:0.68,0.32,0.265,0.69,0.15,0.06",
        "--white-colour-coordinates",
        "0:0.3127,0.329",
    ],
)


@clip(
    "twenty-audio.mkv",
    "twenty audio tracks with languages and names; the third is the default",
    "v-h264",
    *["a-aac"] * 20,
    bframes=True,
    languages=["und"] + LANGUAGES,
    default_audio=2,
)
def _(studio, path):
    options = []
    for i, language in enumerate(LANGUAGES):
        options += [
            f"-metadata:s:a:{i}",
            f"language={language}",
            f"-metadata:s:a:{i}",
            f"title=Sound {i + 1} – {language}",
            f"-disposition:a:{i}",
            "default" if i == 2 else "0",
        ]
    sound = studio.part("a-aac")
    studio.mux(path, "v-h264", *[sound] * 20, options=options)


@clip("fifty-attachments.mkv", "fifty attachments in front of the first cluster", "v-h264", "a-aac", attachments=50, laced=True)
def _(studio, path):
    source, arguments = matroska(studio, "v-h264", "a-aac"), []
    for i in range(50):
        font = studio.text(f"font-{i}.txt", f"attachment {i}\n" * 2000)
        arguments += ["--attachment-mime-type", "text/plain", "--attachment-name", f"font {i}.txt", "--attach-file", font]
    studio.run("mkvmerge", "-q", "-o", path, *arguments, source)
    os.unlink(source)


@clip(
    "chapters-tags-cover.mkv",
    "title, chapters, tags, cover, languages, names, default and forced flags, two text subtitles",
    "v-h264",
    "a-aac",
    "a-ac3",
    ("subtitle", "subrip", CARRIED, ""),
    ("subtitle", "ass", CARRIED, "as plain text"),
    bframes=True,
    chapters=3,
    cover=True,
    laced=True,
    languages=["und", "eng", "deu", "eng", "fra"],
    default_audio=1,
)
def _(studio, path):
    source, cover = matroska(studio, "v-h264", "a-aac", "a-ac3"), studio.temporary("cover.jpg")
    studio.ffmpeg("-f", "lavfi", "-i", "testsrc=size=120x180", "-frames:v", "1", "-update", "1", cover)
    tags = studio.text(
        "tags.xml",
        "<Tags><Tag><Targets/><Simple><Name>DATE_RELEASED</Name><String>2021-05-04</String></Simple>"
        "<Simple><Name>COMMENT</Name><String>a comment</String></Simple></Tag></Tags>",
    )
    studio.run(
        "mkvmerge",
        "-q",
        "-o",
        path,
        "--title",
        "A title – 标题",
        "--chapters",
        studio.text("chapters.txt", CHAPTERS),
        "--global-tags",
        tags,
        "--attachment-mime-type",
        "image/jpeg",
        "--attachment-name",
        "cover.jpg",
        "--attach-file",
        cover,
        "--language",
        "1:eng",
        "--track-name",
        "1:Stereo",
        "--default-track-flag",
        "1:0",
        "--language",
        "2:deu",
        "--track-name",
        "2:Überblick",
        "--default-track-flag",
        "2:1",
        source,
        "--language",
        "0:eng",
        "--track-name",
        "0:Full",
        "--default-track-flag",
        "0:0",
        studio.text("subtitles.srt", SRT),
        "--language",
        "0:fra",
        "--forced-display-flag",
        "0:1",
        studio.text("subtitles.ass", ASS),
    )
    os.unlink(source)
    os.unlink(cover)


for _kind, _codec, _content in (("srt", "subrip", SRT), ("ass", "ass", ASS), ("vtt", "webvtt", VTT)):

    def _make(studio, path, kind=_kind, content=_content):
        source = matroska(studio, "v-h264", "a-aac")
        studio.run("mkvmerge", "-q", "-o", path, source, "--language", "0:eng", studio.text(f"one.{kind}", content))
        os.unlink(source)

    clip(
        f"subtitles-{_kind}.mkv",
        f"one subtitle track from .{_kind}",
        "v-h264",
        "a-aac",
        ("subtitle", _codec, CARRIED, "as plain text"),
        laced=True,
        text_subtitles=1,
    )(_make)


@clip("vtt-ffmpeg.webm", "WebVTT as WebM states it (D_WEBVTT)", "v-vp9", "a-opus", ("subtitle", "webvtt", CARRIED, ""))
def _(studio, path):
    studio.ffmpeg(
        "-i",
        studio.part("v-vp9"),
        "-i",
        studio.part("a-opus"),
        "-i",
        studio.text("two.vtt", VTT),
        "-map",
        "0",
        "-map",
        "1",
        "-map",
        "2",
        "-c",
        "copy",
        path,
    )


@clip(
    "adpcm.mkv",
    "sound named by an ACM format that MP4 does not have, and AAC",
    "v-h264",
    "a-aac",
    ("audio", "adpcm_ima_wav", LEFT, NO_MP4),
    bframes=True,
)
def _(studio, path):
    studio.ffmpeg(
        "-i",
        studio.part("v-h264"),
        "-i",
        studio.part("a-aac"),
        "-i",
        studio.part("a-pcm"),
        "-map",
        "0",
        "-map",
        "1",
        "-map",
        "2",
        "-c",
        "copy",
        "-c:a:1",
        "adpcm_ima_wav",
        path,
    )
