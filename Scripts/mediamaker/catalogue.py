"""The list of clips: what each is for, how it is made, and what a remux to MP4 should do with it."""

import dataclasses

CARRIED, LEFT, EITHER = "carried", "left out", "carried or left out"
NO_MP4 = "MP4 has no agreed place for this codec"


@dataclasses.dataclass
class Clip:
    file: str
    purpose: str
    make: object  # (studio, path) -> None
    tracks: list  # of (kind, codec as ffprobe names it, fate, why)
    verdict: str = "carried"  # or "refused", "carried or refused"
    why: str = ""
    facts: dict = dataclasses.field(default_factory=dict)

    def entry(self):
        container = {"ts": "mpegts", "m2ts": "mpegts", "webm": "webm"}.get(self.file.rsplit(".", 1)[-1], "matroska")
        return {
            "file": self.file,
            "container": self.facts.get("container", container),
            "purpose": self.purpose,
            "verdict": self.verdict,
            "why": self.why,
            "tracks": [{"kind": kind, "codec": codec, "fate": fate, "why": why} for kind, codec, fate, why in self.tracks],
            "facts": {key: value for key, value in self.facts.items() if key != "container"},
        }


CLIPS = []
CODECS = {"plain": "h264", "open": "h264", "long": "h264", "film": "h264", "vfr": "h264", "mbaff": "h264", "wide": "h264"}
UNSURE = {
    "vp8": "the mapping to MP4 is seldom read",
    "truehd": "the mapping to MP4 is seldom read",
    "pcm_s16le": "uncompressed sound in MP4 is seldom read",
    "pcm_s24le": "uncompressed sound in MP4 is seldom read",
    "aac_latm": "needs the LATM framing taken apart",
}
NEVER = {"vorbis", "theora", "msmpeg4v3", "rv40", "adpcm_ima_wav", "hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle"}


def track(part):
    """What becomes of a part: (kind, codec, fate, why)."""
    if isinstance(part, tuple):
        return part
    kind, _, rest = part.partition("-")
    codec = {"mpeg2": "mpeg2video", "mpeg1": "mpeg1video", "pcm": "pcm_s16le", "msmpeg4": "msmpeg4v3"}.get(rest.split("-")[0], rest.split("-")[0])
    if rest == "pcm-24":
        codec = "pcm_s24le"
    return described({"v": "video", "a": "audio", "s": "subtitle"}[kind], codec)


def described(kind, codec):
    if codec in NEVER:
        return kind, codec, LEFT, NO_MP4
    return (kind, codec, EITHER, UNSURE[codec]) if codec in UNSURE else (kind, codec, CARRIED, "")


def clip(file, purpose, *parts, verdict="carried", why="", **facts):
    """Registers the decorated function as the maker of a clip with these tracks."""

    def register(make):
        CLIPS.append(Clip(file, purpose, make, [track(part) for part in parts], verdict, why, facts))
        return make

    return register


def muxed(file, purpose, *parts, options=(), inputs=None, verdict="carried", why="", **facts):
    """Registers a clip that ffmpeg puts together as it is."""
    clip(file, purpose, *parts, verdict=verdict, why=why, **facts)(lambda studio, path: studio.mux(path, *parts, options=options, inputs=inputs))
