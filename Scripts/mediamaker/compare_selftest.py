"""Damages an output that is the same as its source, and expects the comparison to say so."""

import os
import struct
import subprocess
import tempfile

import players
import properties_selftest
import tables
from boxes import Movie
from compare import Comparison


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], check=True)


def written(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def damages(data):
    """(what was done, the damaged file, a word of the message that is expected)."""
    movie = Movie(data)
    tables.loaded(movie, lambda problem: None)
    picture, sound = movie.tracks[0], movie.tracks[1]

    def patched(at, form, change):
        value = struct.unpack_from(">" + form, data, at)[0] + change
        width = struct.calcsize(form)
        return data[:at] + (value % (1 << 8 * width)).to_bytes(width, "big") + data[at + width :]

    yield "a byte of a picture", patched(picture.samples[40].offset + 9, "B", 1), "packet 41 differs"
    yield "a byte of the sound", patched(sound.samples[7].offset + 3, "B", 1), "packet 8 differs"
    last = picture.samples[-1].offset + picture.samples[-1].size - 1
    yield "the last byte of the pictures", patched(last, "B", 1), "differs"
    edits = sound.box.one("edts", "elst")
    yield "sound that is 20 ms early", patched(edits.body + 12, "i", sound.scale // 50), "is off by"
    table = picture.table.one("ctts")
    yield "one picture shown a frame late", patched(table.body + 12, "I", 512), "is off by"
    yield "a frame left out", data, None
    media = sound.box.one("mdia", "mdhd")
    yield "another language", patched(media.body + 20, "H", 1), "language"
    yield "sound that is not enabled", patched(sound.box.one("tkhd").body, "I", -1), "not enabled"
    chapters = data.find(b"Zwei")
    yield "another chapter", data[:chapters] + b"Drei" + data[chapters + 4 :], "chapter"


def run():
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)  # VLC plays as another user
        source, out, other = (os.path.join(directory, name) for name in ("source.mkv", "out.mp4", "other.mp4"))
        chapters = written(
            os.path.join(directory, "chapters.txt"),
            b";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=Eins\n"
            b"[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=3000\ntitle=Zwei\n",
        )
        ffmpeg(
            "-f",
            "lavfi",
            "-i",
            "testsrc2=size=160x96:rate=25",
            "-f",
            "lavfi",
            "-i",
            "sine=sample_rate=48000",
            "-i",
            chapters,
            "-map",
            "0",
            "-map",
            "1",
            "-map_metadata",
            "2",
            "-t",
            "3",
            "-c:v",
            "libx264",
            "-preset",
            "veryfast",
            "-bf",
            "2",
            "-pix_fmt",
            "yuv420p",
            "-c:a",
            "aac",
            "-metadata:s:a:0",
            "language=deu",
            "-metadata:s:a:0",
            "title=Ton",
            "-disposition:a:0",
            "default",
            source,
        )
        ffmpeg("-i", source, "-map", "0", "-c", "copy", out)
        failed = 0
        for problem in Comparison(source, out).run() + players.play(out, source):
            print(f"self-test: the whole file is called wrong: {problem}")
            failed += 1
        with open(out, "rb") as file:
            data = file.read()
        count = 0
        for what, damaged, word in damages(data):
            if word is None:
                ffmpeg("-i", source, "-map", "0", "-c", "copy", "-frames:a", "100", other)
                word = "packets, the source has"
            else:
                written(other, damaged)
            found, count = Comparison(source, other).run(), count + 1
            if not any(word in problem for problem in found):
                print(f"self-test: {what}: expected '{word}', told {found}")
                failed += 1
        for problem in properties_selftest.failures():
            print(f"self-test: {problem}")
            failed += 1
        torn = bytearray(data)
        for sample in pictures_of(data)[3:60:5]:
            torn[sample.offset : sample.offset + sample.size] = b"\x55" * sample.size
        if not players.play(written(other, bytes(torn)), source):
            print("self-test: players are content with pictures overwritten")
            failed += 1
    print(f"self-test: {failed} failures" if failed else f"self-test: all {count} damages are told, and players complain of what cannot be decoded")
    return 1 if failed else 0


def pictures_of(data):
    movie = Movie(data)
    tables.loaded(movie, lambda problem: None)
    return movie.tracks[0].samples
