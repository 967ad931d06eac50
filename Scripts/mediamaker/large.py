"""Clips of gigabytes: a sparse one for limits, and dense ones for measuring."""

import os

import ebml
from catalogue import Clip, track
from clips_merged import matroska as plain
from matroska import CLUSTER, INFO, SCALE, SEGMENT, TRACKS, Film

LARGE, SPEED = 5 << 30, 1 << 30
FILLER = 4 << 20  # bytes of zeros in the filler NAL unit of each picture


def sparse(studio, path):
    """Pictures followed by filler data (H.264 NAL unit 12) that is a hole in the file, and a frame of sound after each."""
    source = plain(studio, "v-h264-plain", "a-aac")
    film = Film(source)
    os.unlink(source)
    pictures, sounds = film.of(film.track(1)), film.of(film.track(2))
    group = len([frame for frame in pictures if frame.time < 1920])  # from one key frame to the next
    pictures = pictures[:group]
    count = LARGE // FILLER
    head = ebml.element(0x1A45DFA3, [ebml.text(0x4282, "matroska"), ebml.unsigned(0x4287, 4), ebml.unsigned(0x4285, 2)])
    head += ebml.identifier(SEGMENT) + b"\x01" + b"\xff" * 7
    head += ebml.element(INFO, [ebml.unsigned(SCALE, film.scale)]) + ebml.element(TRACKS, [entry.bytes() for entry in film.tracks])
    with open(path, "wb") as file:
        file.write(head)
        for i in range(count):
            picture, sound = pictures[i % group], sounds[i % len(sounds)]
            unit = FILLER.to_bytes(4, "big") + b"\x0c"
            flags = b"\x80" if picture.key else b"\0"
            block = ebml.vint(picture.track) + b"\0\0" + flags + picture.data + unit
            other = ebml.element(0xA3, ebml.vint(sound.track) + b"\0\0\x80" + sound.data)
            size = len(block) + FILLER - 1
            body = ebml.unsigned(0xE7, 40 * i) + b"\xa3" + ebml.vint(size, 8) + block
            file.write(ebml.identifier(CLUSTER) + ebml.vint(len(body) + FILLER - 1 + len(other), 8) + body)
            file.seek(FILLER - 1, os.SEEK_CUR)
            file.write(other)


def dense(extension):
    """Noise at a high rate, repeated without encoding again."""

    def make(studio, path):
        seed = studio.temporary(f"noise-{extension}.mkv")
        studio.ffmpeg(
            "-f",
            "lavfi",
            "-i",
            "testsrc2=size=1280x720:rate=25,noise=alls=40:allf=t",
            "-f",
            "lavfi",
            "-i",
            "sine=frequency=440:sample_rate=48000",
            "-t",
            "8",
            "-c:v",
            "libx264",
            "-preset",
            "ultrafast",
            "-pix_fmt",
            "yuv420p",
            "-b:v",
            "20M",
            "-maxrate",
            "20M",
            "-bufsize",
            "5M",
            "-bf",
            "2",
            "-g",
            "50",
            "-c:a",
            "aac",
            seed,
        )
        loops = SPEED // os.path.getsize(seed)
        studio.ffmpeg("-stream_loop", str(loops), "-i", seed, "-map", "0", "-c", "copy", path)
        os.unlink(seed)

    return make


def clips(option):
    tracks = [track("v-h264"), track("a-aac")]
    if option == "large":
        return [
            Clip(
                "large.mkv",
                "5 GiB, sparse: offsets above 4 GiB, memory that does not grow",
                sparse,
                tracks,
                facts={"large": True, "unknown_size": True},
            )
        ]
    return [Clip(f"speed.{extension}", "1 GiB for measuring", dense(extension), tracks, facts={"large": True}) for extension in ("mkv", "ts")]


def there(directory, known):
    """Those made by an earlier run that are not among the known."""
    names = {clip.file for clip in known}
    return [
        clip
        for option in ("large", "speed")
        for clip in clips(option)
        if clip.file not in names and os.path.exists(os.path.join(directory, clip.file))
    ]
