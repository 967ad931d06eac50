"""Reads a plain Matroska file, as ffmpeg writes it, and writes it again in ways that muxers seldom or never do."""

import dataclasses
import os

from ebml import children, element, number_at, text, unsigned, vint

SEGMENT, INFO, TRACKS, CLUSTER, CUES, TAGS, CHAPTERS = 0x18538067, 0x1549A966, 0x1654AE6B, 0x1F43B675, 0x1C53BB6B, 0x1254C367, 0x1043A770
SCALE, ENTRY, NUMBER, UID, KIND, CODEC, PRIVATE = 0x2AD7B1, 0xAE, 0xD7, 0x73C5, 0x83, 0x86, 0x63A2
LACING, DURATION = 0x9C, 0x4489


@dataclasses.dataclass
class Frame:
    track: int
    time: int  # in ticks of the file
    key: bool
    data: bytes
    duration: int = 0
    additions: tuple = ()  # (BlockAddID, bytes)


class Track:
    """The elements of a TrackEntry, by identifier; the masters stay bytes."""

    def __init__(self, data):
        self.elements = {number: data[start:end] for number, _, start, end in children(data)}

    @classmethod
    def new(cls, number, kind, codec, private=b""):
        made = cls(b"")
        made.elements = {NUMBER: bytes([number]), UID: bytes([0x70, number]), KIND: bytes([kind]), CODEC: codec.encode()}
        if private:
            made.elements[PRIVATE] = private
        return made

    number = property(lambda self: int.from_bytes(self.elements[NUMBER], "big"))
    kind = property(lambda self: int.from_bytes(self.elements[KIND], "big"))

    def bytes(self):
        return element(ENTRY, [element(number, payload) for number, payload in self.elements.items()])


class Film:
    """Tracks and frames of a file."""

    def __init__(self, path=None):
        self.scale, self.tracks, self.frames = 1_000_000, [], []
        if path is None:
            return
        with open(path, "rb") as file:
            data = file.read()
        for number, _, start, end in children(data):
            if number == SEGMENT:
                self._segment(data, start, end)
        self.frames.sort(key=lambda frame: self._order[id(frame)])

    def _segment(self, data, start, end):
        self._order = {}
        for number, _, start, stop in children(data, start, end):
            if number == INFO:
                self.scale = next((int.from_bytes(data[a:b], "big") for n, _, a, b in children(data, start, stop) if n == SCALE), self.scale)
            elif number == TRACKS:
                self.tracks = [Track(data[a:b]) for n, _, a, b in children(data, start, stop) if n == ENTRY]
            elif number == CLUSTER:
                self._cluster(data, start, stop)

    def _cluster(self, data, start, end):
        time = 0
        for number, _, a, b in children(data, start, end):
            if number == 0xE7:
                time = int.from_bytes(data[a:b], "big")
            elif number == 0xA3:
                self._block(data[a:b], time, None)
            elif number == 0xA0:
                group = {n: data[x:y] for n, _, x, y in children(data, a, b)}
                self._block(group[0xA1], time, group)

    def _block(self, block, time, group):
        track, at = number_at(block, 0)
        flags = block[at + 2]
        assert flags & 6 == 0, "only unlaced files are read"
        key = bool(flags & 0x80) if group is None else 0xFB not in group
        duration = int.from_bytes(group.get(0x9B, b""), "big") if group else 0
        frame = Frame(track, time + int.from_bytes(block[at : at + 2], "big", signed=True), key, block[at + 3 :], duration)
        self._order[id(frame)] = len(self.frames)
        self.frames.append(frame)

    def track(self, kind):
        return next(track for track in self.tracks if track.kind == kind)

    def of(self, track):
        return [frame for frame in self.frames if frame.track == track.number]

    def keep(self, *numbers):
        self.tracks = [track for track in self.tracks if track.number in numbers]
        self.frames = [frame for frame in self.frames if frame.track in numbers]

    # Writing

    def laced(self, kind, per_block):
        """The frames as groups that share a block: audio in lots of `per_block`, each at the place of its first."""
        audio = {track.number for track in self.tracks if track.kind == 2}
        open_groups, groups = {}, []
        for frame in self.frames:
            group = open_groups.get(frame.track)
            if kind and frame.track in audio and group and len(group) < per_block:
                group.append(frame)
            else:
                open_groups[frame.track] = [frame]
                groups.append(open_groups[frame.track])
        return groups

    def write(
        self, path, lacing=None, per_block=8, cluster=1000, unknown_segment=False, unknown_clusters=False, cues="end", before=b"", between=None
    ):
        """Writes the file. `cues`: "end", "front", "none" or "wrong"; `between(i)`: bytes put in front of the i-th cluster."""
        groups, clusters = self.laced(lacing, per_block), []
        for group in groups:
            time = max(0, group[0].time)
            if not clusters or time - clusters[-1][0] >= cluster or time < clusters[-1][0] - 30000:
                clusters.append((time, []))
            clusters[-1][1].append(group)
        written = [self._written(time, members, lacing, unknown_clusters) for time, members in clusters]
        info = element(INFO, [unsigned(SCALE, self.scale), text(0x4D80, "mediamaker"), text(0x5741, "mediamaker")])
        tracks = element(TRACKS, [self._entry(track, lacing) for track in self.tracks])
        gaps = [between(i) if between else b"" for i in range(len(written))]
        positions, front = [], b""
        for _ in range(3):  # Cues in front move what they point at: their size settles at once
            at, positions = len(info) + len(tracks) + len(before) + len(front), []
            for gap, part in zip(gaps, written):
                positions.append(at + len(gap))
                at += len(gap) + len(part)
            if cues == "front":
                front = self._cues(clusters, positions)
        body = [info, tracks, before, front] + [part for pair in zip(gaps, written) for part in pair]
        if cues == "end":
            body.append(self._cues(clusters, positions))
        elif cues == "wrong":
            body.append(self._cues(clusters, [at + 777 for at in positions[:-1]] + [1 << 40]))
        head = element(0x1A45DFA3, [text(0x4282, "matroska"), unsigned(0x4287, 4), unsigned(0x4285, 2)])
        with open(path, "wb") as file:
            file.write(head + element(SEGMENT, body, unknown=unknown_segment))

    def _entry(self, track, lacing):
        track.elements[LACING] = b"\x01" if lacing and track.kind == 2 else b"\x00"
        return track.bytes()

    def _cues(self, clusters, positions):
        first = self.tracks[0].number
        points = [
            element(0xBB, [unsigned(0xB3, time), element(0xB7, [unsigned(0xF7, first), element(0xF1, at.to_bytes(8, "big"))])])
            for (time, _), at in zip(clusters, positions)
        ]
        return element(CUES, points)

    def _written(self, time, groups, lacing, unknown):
        return element(CLUSTER, [unsigned(0xE7, time)] + [self._group(time, group, lacing) for group in groups], unknown=unknown)

    def _group(self, time, group, lacing):
        first = group[0]
        flags = {"xiph": 2, "fixed": 4, "ebml": 6}[lacing] if len(group) > 1 else 0
        head = vint(first.track) + (first.time - time).to_bytes(2, "big", signed=True)
        body = lace([frame.data for frame in group], lacing) if len(group) > 1 else first.data
        if not first.additions and not first.duration:
            return element(0xA3, head + bytes([flags | (0x80 if first.key else 0)]) + body)
        parts = [element(0xA1, head + bytes([flags]) + body)]
        if first.duration:
            parts.append(unsigned(0x9B, first.duration))
        if not first.key:
            parts.append(element(0xFB, b"\xd8"))
        if first.additions:
            parts.append(element(0x75A1, [element(0xA6, [unsigned(0xEE, number), element(0xA5, data)]) for number, data in first.additions]))
        return element(0xA0, parts)


def lace(frames, kind):
    """Frames behind their lace header (RFC 9559, section 10.3)."""
    sizes, head = [len(frame) for frame in frames], bytes([len(frames) - 1])
    if kind == "fixed":
        assert len(set(sizes)) == 1, "fixed lacing takes frames of one size"
    elif kind == "xiph":
        head += b"".join(b"\xff" * (size // 255) + bytes([size % 255]) for size in sizes[:-1])
    else:
        head += vint(sizes[0])
        for before, size in zip(sizes, sizes[1:-1]):
            width = next(w for w in range(1, 9) if abs(size - before) < (1 << 7 * w - 1) - 1)
            head += vint(size - before + (1 << 7 * width - 1) - 1, width)
    return head + b"".join(frames)


def encoding(kind, payload, scope=1):
    """ContentEncodings with one entry; `kind` 0: compression (0x5034), 1: encryption (0x5035)."""
    master = 0x5035 if kind else 0x5034
    return element(0x6240, [unsigned(0x5031, 0), unsigned(0x5032, scope), unsigned(0x5033, kind), element(master, payload)])


def strip_headers(film):
    """Removes what all frames of a track begin with, and says so."""
    for track in film.tracks:
        frames = film.of(track)
        prefix = os.path.commonprefix([frame.data for frame in frames])[:64]
        if prefix:
            track.elements[0x6D80] = encoding(0, [unsigned(0x4254, 3), element(0x4255, prefix)])
            for frame in frames:
                frame.data = frame.data[len(prefix) :]
