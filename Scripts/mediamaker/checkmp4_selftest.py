"""Breaks each table of a file that is right, and expects the checker to say so."""

import os
import struct
import subprocess
import tempfile

from boxes import Movie
from checkmp4 import Checker

# What is broken, the box by its path below a track (or "/" and the path from the top), offset in its body, format, change of the value,
# and a word of the message that is expected.
PROGRESSIVE = [
    ("a box longer than its content", ("stbl", "stts"), -8, "I", 4, ""),
    ("a box shorter than its table", ("stbl", "stsz"), -8, "I", -4, ""),
    ("one sample less in stts", ("stbl", "stts"), 8, "I", -1, "stts states"),
    ("another duration in stts", ("stbl", "stts"), 12, "I", 7, "mdhd states"),
    ("one sample more in ctts", ("stbl", "ctts"), 8, "I", 1, "ctts states"),
    ("a negative composition offset", ("stbl", "ctts"), 12, "i", -1 << 20, ""),
    ("a wrong count in stsz", ("stbl", "stsz"), 8, "I", 1, "do not fill"),
    ("a sample too long in stsz", ("stbl", "stsz"), 12, "I", 1 << 20, "mdat"),
    ("a sample one byte longer in stsz", ("stbl", "stsz"), 12, "I", 1, "begins at"),
    ("more samples in a chunk in stsc", ("stbl", "stsc"), 12, "I", 1, "stsc"),
    ("a first chunk that is not 1", ("stbl", "stsc"), 8, "I", 1, "stsc"),
    ("a sample description that is not there", ("stbl", "stsc"), 16, "I", 1, "description"),
    ("a chunk in front of mdat", ("stbl", "stco"), 8, "I", -1000, ""),
    ("a chunk far behind mdat", ("stbl", "stco"), 8, "I", 1 << 30, "no mdat"),
    ("a chunk moved onto another", ("stbl", "stco"), 12, "I", -40, "begins at"),
    ("a sync sample that does not rise", ("stbl", "stss"), 12, "I", -(1 << 16), "stss"),
    ("a sync sample past the end", ("stbl", "stss"), 8, "I", 1 << 20, "stss"),
    ("a wrong media duration", ("mdhd",), 16, "I", 5000, "mdhd"),
    ("a wrong track duration", ("tkhd",), 20, "I", 500, "tkhd"),
    ("a disabled track", ("tkhd",), 0, "I", -1, "enabled"),
    ("a track ID of zero", ("tkhd",), 12, "I", -1, "track IDs"),
    ("an edit at half speed", ("elst",), 16, "H", 1, "rate"),
    ("an edit past the end", ("elst",), 12, "i", 1 << 28, "elst"),
    ("an edit far too long", ("elst",), 8, "I", 10000, "elst"),
    ("no configuration of the decoder", ("stbl", "stsd"), 8 + 8 + 78 + 4, "I", 1, "avcC"),
    ("a wrong movie duration", ("/moov", "mvhd"), 16, "I", 500, "mvhd"),
    ("a file without ftyp first", ("/ftyp",), -4, "I", 1, "ftyp"),
    ("an mdat cut short", ("/mdat",), -8, "I", -50, ""),
]
FRAGMENTED = [
    ("a jump in the sequence", ("/moof", "mfhd"), 4, "I", 5, "sequence"),
    ("a tfdt that goes back", ("/moof", "traf", "tfdt"), 4, "Q", -1, "tfdt"),
    ("a track that is not there", ("/moof", "traf", "tfhd"), 4, "I", 77, "traf of track"),
    ("data outside its mdat", ("/moof", "traf", "trun"), 8, "i", 1 << 20, ""),
    ("a wrong count in trun", ("/moof", "traf", "trun"), 4, "I", 1, "do not fill"),
    ("a reference one byte longer", ("/sidx",), 32, "I", 1, "sidx"),
    ("a reference that skips a moof", ("/sidx",), 32, "I", 1 << 16, "sidx"),
]


def find(movie, path):
    """The first box at a path; for fragments the second moof, whose times are above zero."""
    if path[0].startswith("/"):
        tops = [box for box in movie.boxes if box.name == path[0][1:]]
        box = tops[1] if path[0] == "/moof" else tops[0]
        return box.all(*path[1:])[0] if path[1:] else box
    trak = movie.moov.all("trak")[0]
    prefix = {"stbl": ("mdia", "minf"), "mdhd": ("mdia",), "elst": ("edts",)}.get(path[0], ())
    return trak.all(*prefix, *path)[0]


def run():
    with tempfile.TemporaryDirectory() as directory:
        failed = 0
        for name, options, breaks in (
            ("progressive", [], PROGRESSIVE),
            ("fragmented", ["-movflags", "frag_keyframe+empty_moov+default_base_moof+global_sidx"], FRAGMENTED),
        ):
            path = os.path.join(directory, name + ".mp4")
            subprocess.run(
                [
                    "ffmpeg",
                    "-nostdin",
                    "-v",
                    "error",
                    "-f",
                    "lavfi",
                    "-i",
                    "testsrc2=size=160x96:rate=25",
                    "-f",
                    "lavfi",
                    "-i",
                    "sine",
                    "-t",
                    "3",
                    "-c:v",
                    "libx264",
                    "-preset",
                    "veryfast",
                    "-g",
                    "20",
                    "-bf",
                    "2",
                    "-pix_fmt",
                    "yuv420p",
                    "-c:a",
                    "aac",
                    *options,
                    path,
                ],
                check=True,
            )
            with open(path, "rb") as file:
                data = file.read()
            # What ffmpeg itself leaves wrong (next_track_ID of a fragmented file) is not counted as found.
            usual = set(Checker(data).run())
            if name == "progressive" and usual:
                print(f"self-test: the whole file is called wrong: {usual}")
                failed += 1
            for what, place, offset, form, change, word in breaks:
                failed += not told(data, what, place, offset, form, change, word, usual)
        failed += not cut_anywhere(data)
    print(f"self-test: {failed} failures" if failed else f"self-test: all {len(PROGRESSIVE) + len(FRAGMENTED)} breaks are told, and every cut")
    return 1 if failed else 0


def told(data, what, place, offset, form, change, word, usual):
    box = find(Movie(data), place)
    at, broken = box.body + offset, bytearray(data)
    value = struct.unpack_from(">" + form, broken, at)[0] + change
    broken[at : at + struct.calcsize(form)] = (value % (1 << 8 * struct.calcsize(form))).to_bytes(struct.calcsize(form), "big")
    found = [problem for problem in Checker(bytes(broken)).run() if problem not in usual]
    if any(word in problem for problem in found):
        return True
    print(f"self-test: {what}: expected '{word}', told {found}")
    return False


def cut_anywhere(data):
    """A file that ends early anywhere is told, and never followed into an exception."""
    missed = [at for at in range(1, len(data), max(1, len(data) // 300)) if not Checker(data[:at]).run()]
    if missed:
        print(f"self-test: cut at {missed} is called right")
    return not missed
