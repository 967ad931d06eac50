"""Matroska and WebM clips that ffmpeg makes."""

import subprocess

from catalogue import clip, muxed

muxed("h264-aac.mkv", "H.264 with B-pyramid and closed GOPs, AAC", "v-h264", "a-aac", bframes=True)
muxed("h264-open-gop-ac3.mkv", "open GOPs: recovery points that are no IDR, AC-3", "v-h264-open", "a-ac3", bframes=True)
muxed("h264-long-gop-eac3.mkv", "one key frame, five B-frames in a row, E-AC-3", "v-h264-long", "a-eac3", bframes=True)
muxed("h264-baseline-mp3.mkv", "no B-frames, MP3", "v-h264-plain", "a-mp3")
muxed("h264-film-flac.mkv", "23.976 pictures a second in millisecond ticks, FLAC", "v-h264-film", "a-flac", bframes=True)
muxed("h264-dts.mkv", "DTS", "v-h264", "a-dts", bframes=True)
muxed("h264-alac.mkv", "ALAC", "v-h264", "a-alac", bframes=True)
muxed("h264-aac51.mkv", "six channels", "v-h264", "a-aac-51", bframes=True)
muxed("h264-mp3-22k.mkv", "MPEG-2 layer III at 22.05 kHz", "v-h264", "a-mp3-22", bframes=True)
muxed("h264-pcm.mkv", "PCM of 16 bits, and AAC that can go without doubt", "v-h264", "a-aac", "a-pcm", bframes=True)
muxed("h264-pcm24.mkv", "PCM of 24 bits, and AAC that can go without doubt", "v-h264", "a-aac", "a-pcm-24", bframes=True)
muxed("h264-truehd.mkv", "TrueHD, and AC-3 that can go without doubt", "v-h264", "a-ac3", "a-truehd", bframes=True)
muxed("h264-aac-vorbis.mkv", "an audio track that cannot go beside one that can", "v-h264", "a-aac", "a-vorbis", bframes=True)
muxed("h264-vorbis.mkv", "picture that can go, sound that cannot", "v-h264", "a-vorbis", verdict="refused", why="no audio track can go")
muxed("hevc-eac3.mkv", "HEVC with B-pyramid, E-AC-3", "v-hevc", "a-eac3", bframes=True)
muxed("hevc-open-gop-opus.mkv", "HEVC with CRA and RASL pictures, Opus", "v-hevc-open", "a-opus", bframes=True)
muxed("hevc-hdr10.mkv", "HDR10: colour, mastering display, content light", "v-hevc-hdr", "a-aac", bframes=True, hdr=True)
muxed("av1-opus.webm", "AV1 and Opus in WebM", "v-av1", "a-opus")
muxed("av1-aom-opus.mkv", "AV1 by another encoder", "v-av1-aom", "a-opus")
muxed("vp9-opus.webm", "VP9 and Opus in WebM", "v-vp9", "a-opus")
muxed("vp8-opus.webm", "VP8", "v-vp8", "a-opus", verdict="carried or refused", why="VP8 in MP4 is seldom read")
muxed("vp8-vorbis.webm", "the first WebM profile", "v-vp8", "a-vorbis", verdict="refused", why="no audio track can go")
muxed("mpeg2-mp2.mkv", "MPEG-2 video with B-pictures, MP2", "v-mpeg2", "a-mp2", bframes=True)
muxed("mpeg2-interlaced-ac3.mkv", "interlaced MPEG-2 video", "v-mpeg2-fields", "a-ac3", bframes=True, interlaced=True)
muxed("mpeg1-mp2.mkv", "MPEG-1 video", "v-mpeg1", "a-mp2", bframes=True)
muxed("mpeg4-mp3.mkv", "MPEG-4 ASP with B-VOPs", "v-mpeg4", "a-mp3", bframes=True)
muxed("h264-vfr.mkv", "variable frame rate with B-frames", "v-h264-vfr", "a-aac", bframes=True, vfr=True)
muxed("h264-mbaff.mkv", "interlaced H.264, macroblock-adaptive", "v-h264-mbaff", "a-aac", bframes=True, interlaced=True)
muxed("pixel-aspect.mkv", "pixels that are not square", "v-h264-wide", "a-aac", bframes=True, sample_aspect="64:45")
muxed("aac-44k.mkv", "a sampling rate that milliseconds do not divide", "v-h264", "a-aac-44", bframes=True)
muxed(
    "audio-late.mkv",
    "sound that begins half a second after the picture",
    "v-h264",
    "a-aac",
    inputs={"a-aac": ["-itsoffset", "0.5"]},
    start_offset=0.5,
)
muxed(
    "video-late.mkv",
    "picture that begins half a second after the sound",
    "v-h264",
    "a-aac",
    inputs={"v-h264": ["-itsoffset", "0.5"]},
    start_offset=-0.5,
)
muxed("large-start.mkv", "times that begin at five hours", "v-h264", "a-aac", options=["-output_ts_offset", "18000"], start=18000)
muxed("audio-only.mka", "sound alone", "a-aac", options=["-f", "matroska"])
muxed("audio-flac-opus.mka", "two audio tracks and no picture", "a-flac", "a-opus", options=["-f", "matroska"])
muxed("cues-first.mkv", "Cues in front of the clusters", "v-h264", "a-aac", options=["-cues_to_front", "1"])
muxed(
    "msmpeg4-mp3.mkv",
    "a codec named by a FourCC that MP4 does not have",
    "v-msmpeg4",
    "a-mp3",
    options=["-allow_raw_vfw", "1"],
    verdict="refused",
    why="no video track can go",
)
muxed("theora-opus.mkv", "Theora", "v-theora", "a-opus", verdict="refused", why="no video track can go")
muxed("one-frame.mkv", "one picture", "v-h264", options=["-frames:v", "1"])


@clip("unknown-sizes.mkv", "written into a pipe: the segment has no size, there are no Cues and no duration", "v-h264", "a-aac", unknown_size=True)
def _(studio, path):
    with open(path, "wb") as file:
        subprocess.run(
            [
                "ffmpeg",
                "-nostdin",
                "-v",
                "error",
                "-i",
                studio.part("v-h264"),
                "-i",
                studio.part("a-aac"),
                "-map",
                "0",
                "-map",
                "1",
                "-c",
                "copy",
                "-f",
                "matroska",
                "pipe:1",
            ],
            stdout=file,
            stdin=subprocess.DEVNULL,
            check=True,
        )


muxed("live.mkv", "ffmpeg's live mode", "v-h264", "a-aac", options=["-live", "1"])
