"""Packets as ffmpeg's demuxers see them, and as our own reader of MP4 sees them, brought to one form."""

import dataclasses
import hashlib
import json
import subprocess

import annexb
import tables
from boxes import Movie, boxes
from checkmp4 import opened

# Streams that begin late in a file of a high rate are found too.
PATIENT = ("-probesize", "50M", "-analyzeduration", "20M")
NAL_CODECS = {"h264", "hevc"}


def probe(path, *arguments):
    done = subprocess.run(
        ["ffprobe", "-v", "error", *PATIENT, "-of", "json", *arguments, path], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    return json.loads(done.stdout or b"{}")


@dataclasses.dataclass
class Packet:
    time: float  # seconds; None where the source states none
    digest: bytes
    size: int
    tolerance: float = 0.0  # seconds, beside the clock's tick
    duration: float = 0.0


@dataclasses.dataclass
class Stream:
    index: int
    kind: str
    codec: str
    tick: float
    packets: list = dataclasses.field(default_factory=list)
    whole: bytes = b""  # digest of all payloads behind one another
    language: str = "und"
    title: str = ""
    default: bool = False
    enabled: bool = True


def normal(codec, container, data):
    """The payload without the container's own framing."""
    if codec in NAL_CODECS:
        if container == "mpegts":
            units = annexb.split_start_codes(data)
        else:
            try:
                units = annexb.split_lengths(data)
            except ValueError:
                units = annexb.split_start_codes(data)
        return annexb.with_lengths([unit.rstrip(b"\0") for unit in units])
    if codec == "aac" and container == "mpegts" and len(data) > 7 and data[0] == 0xFF and data[1] & 0xF6 == 0xF0:
        return data[7 if data[1] & 1 else 9 :]
    return data


def source_streams(path):
    """Streams of any file ffmpeg reads, with their packets (pictures and sound; covers left aside)."""
    said = probe(path, "-show_streams", "-show_format", "-show_entries", "packet=stream_index,pts,duration,size,pos", "-show_packets")
    container = "mpegts" if said.get("format", {}).get("format_name") == "mpegts" else "matroska"
    made = []
    for stream in said.get("streams", []):
        kind, disposition = stream.get("codec_type"), stream.get("disposition", {})
        if kind not in ("video", "audio", "subtitle") or disposition.get("attached_pic"):
            continue
        top, bottom = map(int, stream.get("time_base", "1/1000").split("/"))
        tags = {key.lower(): value for key, value in stream.get("tags", {}).items()}
        one = Stream(
            stream["index"],
            kind,
            stream.get("codec_name", "unknown"),
            top / bottom,
            language=tags.get("language", "und"),
            title=tags.get("title", ""),
            default=bool(disposition.get("default")),
        )
        made.append(one)
        if kind != "subtitle":
            fill(one, [packet for packet in said["packets"] if packet["stream_index"] == one.index], path, container)
    return made


def fill(stream, packets, path, container):
    """Payloads through ffmpeg's raw muxer, cut by the sizes that ffprobe states."""
    command = [
        "ffmpeg",
        "-nostdin",
        "-v",
        "error",
        "-copyts",
        *PATIENT,
        "-i",
        path,
        "-map",
        f"0:{stream.index}",
        "-c",
        "copy",
        "-copyinkf",
        "-copypriorss",
        "1",
        "-f",
        "data",
        "pipe:1",
    ]
    whole, place = hashlib.md5(), None
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as child:
        for packet in packets:
            data = child.stdout.read(int(packet["size"]))
            if len(data) != int(packet["size"]):
                raise RuntimeError(f"{path}: ffmpeg gives fewer bytes of stream {stream.index} than ffprobe states")
            data = normal(stream.codec, container, data)
            whole.update(data)
            # Frames behind the first of a lace or a PES have times that ffmpeg reckons, rounded as it goes.
            reckoned = packet.get("pos", "") in ("", place)
            place = packet.get("pos")
            time = int(packet["pts"]) * stream.tick if "pts" in packet else None
            stream.packets.append(Packet(time, hashlib.md5(data).digest(), len(data), 0.003 if reckoned else 0.0))
        if child.stdout.read(1):
            raise RuntimeError(f"{path}: ffmpeg gives more bytes of stream {stream.index} than ffprobe states")
    stream.whole = whole.digest()


def remuxed_streams(path):
    """Streams of an MP4 by our own reader; ffprobe only names the codecs. Answers them and the movie."""
    data = opened(path)
    movie, codecs = Movie(data), {}
    tables.loaded(movie, lambda problem: None)
    for stream in probe(path, "-show_streams").get("streams", []):
        codecs[int(stream.get("id", "0"), 16)] = stream.get("codec_name", "unknown")
    chapters = {
        box.read("I", at)[0]
        for tref in movie.moov.all("trak", "tref")
        for box in boxes(data, tref.body, tref.end, tref.path)
        if box.name == "chap"
        for at in range(0, box.end - box.body, 4)
    }
    made = []
    for number, track in enumerate(movie.tracks):
        if track.id in chapters:
            continue
        kind = {"vide": "video", "soun": "audio"}.get(track.handler, "subtitle")
        one = Stream(
            number, kind, codecs.get(track.id, track.codec), 1 / track.scale, language=track.language, title=track.title(), enabled=track.enabled
        )
        whole = hashlib.md5()
        for sample, (top, bottom) in zip(track.samples, track.times()):
            body = data[sample.offset : sample.offset + sample.size]
            body = normal(one.codec, "mp4", body) if kind != "subtitle" else body
            whole.update(body)
            one.packets.append(
                Packet(top / bottom, hashlib.md5(body).digest() if kind != "subtitle" else body, len(body), 0.0, sample.duration / track.scale)
            )
        one.whole = whole.digest()
        made.append(one)
    return made, movie
