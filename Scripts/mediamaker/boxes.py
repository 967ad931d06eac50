"""Boxes of an MP4 file and the samples that their tables state (ISO/IEC 14496-12), read without believing them."""

import struct

CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts", b"udta", b"mvex", b"moof", b"traf", b"mfra", b"dinf", b"tref"}


class Broken(Exception):
    """The file cannot be followed any further."""


class Box:
    """One box: `body` is behind size and type, and behind version and flags where `full()` was asked."""

    def __init__(self, data, start, limit, path):
        if limit - start < 8:
            raise Broken(f"{path}: {limit - start} bytes left over at {start}")
        self.data, self.start, (size, self.kind) = data, start, struct.unpack_from(">I4s", data, start)
        self.body = start + 8
        if size == 1:
            if limit - start < 16:
                raise Broken(f"{path}: no room for a 64 bit size at {start}")
            size, self.body = struct.unpack_from(">Q", data, start + 8)[0], start + 16
        elif size == 0:
            if path:
                raise Broken(f"{path}: a box that ends with the file at {start} inside another")
            size = limit - start
        self.name = self.kind.decode("latin-1")
        self.path = f"{path}/{self.name}" if path else self.name
        self.end = start + size
        if self.end < self.body or self.end > limit:
            raise Broken(f"{self.path}: {size} bytes at {start}, its room ends at {limit}")
        self.children = boxes(data, self.body, self.end, self.path) if self.kind in CONTAINERS else []

    def all(self, *names):
        """The boxes below that path of names."""
        found = [self]
        for name in names:
            found = [child for box in found for child in box.children if child.name == name]
        return found

    def one(self, *names):
        found = self.all(*names)
        if len(found) != 1:
            raise Broken(f"{self.path}/{'/'.join(names)}: there are {len(found)}, not one")
        return found[0]

    def maybe(self, *names):
        return self.one(*names) if self.all(*names) else None

    def read(self, form, at=0):
        """Fields at an offset of the body."""
        if self.body + at + struct.calcsize(">" + form) > self.end:
            raise Broken(f"{self.path}: too short for its fields")
        return struct.unpack_from(">" + form, self.data, self.body + at)

    def version(self):
        return self.read("B")[0]

    def flags(self):
        return self.read("I")[0] & 0xFFFFFF

    def table(self, form, at=4):
        """A counted table behind a 32 bit count, which has to fill the box exactly."""
        count, width = self.read("I", at)[0], struct.calcsize(">" + form)
        if self.body + at + 4 + count * width != self.end:
            raise Broken(f"{self.path}: {count} entries of {width} bytes do not fill it")
        return list(struct.iter_unpack(">" + form, self.data[self.body + at + 4 : self.end]))


def boxes(data, start, end, path=""):
    found = []
    while start < end:
        found.append(Box(data, start, end, path))
        start = found[-1].end
    return found


def versioned(box, short, long):
    """Fields behind version and flags: `long` in version 1."""
    return box.read(long if box.version() == 1 else short, 4)


class Sample:
    __slots__ = ("offset", "size", "dts", "shift", "key", "duration")

    def __init__(self, offset, size, dts, shift, key, duration):
        self.offset, self.size, self.dts, self.shift, self.key, self.duration = offset, size, dts, shift, key, duration


class Track:
    """What the boxes of a track say, and its samples in decoding order."""

    def __init__(self, box, movie_scale):
        self.box, self.movie_scale = box, movie_scale
        header = box.one("tkhd")
        self.enabled = bool(header.flags() & 1)
        self.id, self.duration = versioned(header, "8xI4xI", "16xI4xQ")
        media = box.one("mdia", "mdhd")
        self.scale, self.media_duration = versioned(media, "8xII", "16xIQ")
        code = media.read("H", 32 if media.version() == 1 else 20)[0]
        self.language = "".join(chr((code >> shift & 31) + 0x60) for shift in (10, 5, 0))
        handler = box.one("mdia", "hdlr")
        self.handler = handler.read("4s", 8)[0].decode("latin-1")
        self.name = handler.data[handler.body + 24 : handler.end].rstrip(b"\0").decode("utf-8", "replace")
        self.table = box.one("mdia", "minf", "stbl")
        description = self.table.one("stsd")
        self.entries = boxes(description.data, description.body + 8, description.end, description.path)
        self.codec = self.entries[0].name if self.entries else ""
        self.samples, self.chunks = [], []  # chunks: (offset, size)
        self.edits = self._edits()

    def _edits(self):
        box = self.box.maybe("edts", "elst")
        return box.table("QqhH" if box.version() == 1 else "IihH") if box else []

    def title(self):
        """The name in udta, or that of the handler."""
        for name in self.box.all("udta", "name"):
            return bytes(name.data[name.body : name.end]).lstrip(b"\0").rstrip(b"\0").decode("utf-8", "replace")
        return self.name

    def times(self):
        """Presentation time of each sample in seconds as a fraction of integers: (numerator, denominator), after the edit list."""
        empty, start = 0, 0
        for duration, media_time, _, _ in self.edits:
            if media_time >= 0:
                start = media_time
                break
            empty += duration
        common = self.scale * self.movie_scale
        return [((sample.dts + sample.shift - start) * self.movie_scale + empty * self.scale, common) for sample in self.samples]


class Movie:
    """A whole file."""

    def __init__(self, data):
        self.boxes = boxes(data, 0, len(data))
        found = [box for box in self.boxes if box.name == "moov"]
        if len(found) != 1:
            raise Broken(f"there are {len(found)} moov, not one")
        self.moov = found[0]
        self.scale, self.duration = versioned(self.moov.one("mvhd"), "8xII", "16xIQ")
        self.tracks = [Track(box, self.scale) for box in self.moov.all("trak")]
        self.fragments = [box for box in self.boxes if box.name == "moof"]
        self.indexes = [box for box in self.boxes if box.name == "sidx"]
        self.media = [(box.body, box.end) for box in self.boxes if box.name == "mdat"]
