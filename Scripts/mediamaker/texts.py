"""Cues of text subtitles: out of a source by ffmpeg, out of tx3g samples by ourselves."""

import html
import os
import re
import subprocess
import tempfile


def plain(text):
    """Without styling, entities, and space at line ends."""
    text = re.sub(r"<[^<>]*>|\{\\[^{}]*\}", "", text).replace("\\N", "\n").replace("\\h", " ").replace("\r", "")
    return "\n".join(line.strip() for line in html.unescape(text).strip().split("\n"))


def seconds(text):
    hours, minutes, rest = text.replace(",", ".").split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def parsed(text):
    """(start, end, text) of each cue of a .srt."""
    cues = []
    for block in re.split(r"\n\s*\n", text.replace("\r", "").strip()):
        match = re.search(r"(\d+:\d+:[\d,.]+) --> (\d+:\d+:[\d,.]+)[^\n]*\n?(.*)", block, re.S)
        if match:
            cues.append((seconds(match[1]), seconds(match[2]), plain(match[3])))
    return cues


def of_source(path, index):
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-copyts", "-i", path, "-map", f"0:{index}", "-f", "srt", "pipe:1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return parsed(done.stdout.decode("utf-8", "replace"))


def of_webvtt(path, index):
    """Cues of WebVTT in Matroska as mkvmerge writes it, which ffmpeg 5.1 does not read."""
    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "out.vtt")
        subprocess.run(["mkvextract", "-q", path, "tracks", f"{index}:{out}"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if not os.path.exists(out):
            return None
        with open(out, encoding="utf-8") as file:
            return parsed(file.read())


def of_remuxed(stream):
    """Cues of tx3g samples: a 16 bit length, then UTF-8; empty ones are pauses."""
    cues = []
    for packet in stream.packets:
        size = int.from_bytes(packet.digest[:2], "big")
        text = packet.digest[2 : 2 + size].decode("utf-8", "replace")
        if text:
            cues.append((packet.time, packet.time + packet.duration, plain(text)))
    return cues
