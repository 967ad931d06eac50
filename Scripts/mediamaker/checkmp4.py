#!/usr/bin/env python3
"""Checks an MP4 file box by box, without any other program's help.

Usage: Scripts/mediamaker/checkmp4.py [--quiet] FILE... | --self-test

Sizes tile, required boxes are there and in order, the tables of samples agree with one another, each chunk is inside an
mdat and none overlap, decoding times never decrease and never exceed presentation times, edit lists and durations are
sane; in fragmented files also sequence numbers, tfdt and sidx. Exit code 1 if anything is wrong.

  --quiet      say nothing of files that are right
  --self-test  make a file with ffmpeg, break each table of it and see that this is told
  --help       this text
"""

import bisect
import mmap
import sys

import tables
from boxes import Broken, Movie, boxes
from fragments import fragments

CONFIGURATION = {
    "avc1": "avcC",
    "avc3": "avcC",
    "hvc1": "hvcC",
    "hev1": "hvcC",
    "av01": "av1C",
    "vp09": "vpcC",
    "vp08": "vpcC",
    "mp4a": "esds",
    "mp4v": "esds",
    "ac-3": "dac3",
    "ec-3": "dec3",
    "Opus": "dOps",
    "fLaC": "dfLa",
    "alac": "alac",
    "dtsc": "ddts",
    "mlpa": "dmlp",
}
# Bytes of fields in front of the boxes of a sample entry.
FIELDS = {"vide": 78, "soun": 28}


class Checker:
    def __init__(self, data):
        self.data, self.problems, self.notes, self.movie = data, [], [], None

    def report(self, text):
        self.problems.append(text)

    def run(self):
        try:
            self.movie = Movie(self.data)
            self.layout()
            added = tables.loaded(self.movie, self.report)
            for track in self.movie.tracks:
                self.header(track)
                self.description(track)
                self.order_of_times(track)
                self.durations(track)
            self.places()
            fragments(self, added)
            self.enabled()
        except Broken as error:
            self.report(str(error))
        return self.problems

    def layout(self):
        movie = self.movie
        if movie.boxes[0].name != "ftyp":
            self.report(f"the file begins with {movie.boxes[0].name}, not ftyp")
        if movie.moov.children[0].name != "mvhd":
            self.report("moov does not begin with mvhd")
        if not movie.tracks:
            self.report("there is no track")
        ids = [track.id for track in movie.tracks]
        head = movie.moov.one("mvhd")
        following = head.read("I", (108 if head.version() == 1 else 96))[0]
        if len(set(ids)) != len(ids) or 0 in ids or (ids and following <= max(ids)):
            self.report(f"track IDs {ids}, the next is said to be {following}")
        for chapters in movie.moov.all("trak", "tref"):
            kinds = boxes(chapters.data, chapters.body, chapters.end, chapters.path)
            for kind in kinds:
                for at in range(0, kind.end - kind.body, 4):
                    if kind.read("I", at)[0] not in ids:
                        self.report(f"{kind.path} refers to track {kind.read('I', at)[0]}, which is not there")

    def header(self, track):
        where = f"track {track.id}"
        if track.box.children[0].name != "tkhd":
            self.report(f"{where}: trak does not begin with tkhd")
        order = [box.name for box in track.box.one("mdia").children if box.name in ("mdhd", "hdlr", "minf")]
        if order != ["mdhd", "hdlr", "minf"]:
            self.report(f"{where}: mdia holds {order}")
        information = track.box.one("mdia", "minf")
        kinds = {"vide": "vmhd", "soun": "smhd"}
        wanted = kinds.get(track.handler)
        if wanted and not information.all(wanted):
            self.report(f"{where}: {track.handler} without {wanted}")
        if not wanted and not any(information.all(name) for name in ("nmhd", "sthd", "gmhd", "hmhd")):
            self.report(f"{where}: {track.handler} without a media header")
        information.one("dinf", "dref")
        if track.table.children[0].name != "stsd":
            self.report(f"{where}: stbl does not begin with stsd")
        if track.scale == 0:
            raise Broken(f"{where}: a timescale of zero")

    def description(self, track):
        stsd = track.table.one("stsd")
        if stsd.read("I", 4)[0] != len(track.entries) or not track.entries:
            self.report(f"track {track.id}: stsd holds {len(track.entries)} entries and states {stsd.read('I', 4)[0]}")
        for entry in track.entries:
            fields = FIELDS.get(track.handler)
            if fields is None:
                continue
            inner = [box.name for box in boxes(self.data, entry.body + fields, entry.end, entry.path)]
            wanted = CONFIGURATION.get(entry.name)
            if wanted and wanted not in inner:
                self.report(f"track {track.id}: {entry.name} without {wanted}")
            if entry.read("H", 6)[0] != 1:
                self.report(f"track {track.id}: {entry.name} refers to data reference {entry.read('H', 6)[0]}")

    def order_of_times(self, track):
        for i, (sample, following) in enumerate(zip(track.samples, track.samples[1:]), 2):
            if following.dts < sample.dts:
                self.report(f"track {track.id}: sample {i} has decoding time {following.dts} behind {sample.dts}")
                break
        for i, sample in enumerate(track.samples, 1):
            if sample.shift < 0:
                self.report(f"track {track.id}: sample {i} is decoded {-sample.shift} ticks after it is shown")
                break
            if sample.shift > 60 * track.scale or sample.duration > 86400 * track.scale:
                self.report(f"track {track.id}: sample {i} has composition offset {sample.shift} and duration {sample.duration}")
                break

    def durations(self, track):
        where, fragmented = f"track {track.id}", bool(self.movie.fragments)
        total = sum(sample.duration for sample in track.samples)
        if not fragmented and track.media_duration != total:
            self.report(f"{where}: mdhd states {track.media_duration} ticks, stts {total}")
        if not track.edits:
            shown = total * self.movie.scale / track.scale
        else:
            shown = sum(edit[0] for edit in track.edits)
            self.edits(track, fragmented)
        if not fragmented and abs(track.duration - shown) > 2:
            self.report(f"{where}: tkhd states {track.duration} of {self.movie.scale} a second, it is {shown:.1f}")
        if not fragmented and track is self.movie.tracks[-1]:
            longest = max(other.duration for other in self.movie.tracks)
            if abs(self.movie.duration - longest) > 1:
                self.report(f"mvhd states a duration of {self.movie.duration}, the longest track {longest}")

    def edits(self, track, fragmented):
        where = f"track {track.id}"
        last = max((sample.dts + sample.shift + sample.duration for sample in track.samples), default=0)
        real = [edit for edit in track.edits if edit[1] != -1]
        if len(real) != 1 or track.edits[-1][1] == -1:
            self.report(f"{where}: elst has {len(real)} edits that show anything, or ends with an empty one")
        for duration, media_time, rate, fraction in track.edits:
            if (rate, fraction) != (1, 0):
                self.report(f"{where}: elst states a rate of {rate}.{fraction}")
            if media_time < -1 or (not fragmented and media_time >= max(last, 1)):
                self.report(f"{where}: elst begins at {media_time} of {last}")
            elif media_time >= 0 and not fragmented:
                room = (last - media_time) * self.movie.scale / track.scale
                if duration > room + 2 or (duration == 0 and room > 2):
                    self.report(f"{where}: elst shows {duration} ticks, the media has {room:.1f} behind its start")
                elif duration < room - 2 - 0.25 * self.movie.scale:
                    self.report(f"{where}: elst shows {duration} ticks of {room:.1f}")

    def places(self):
        """Each chunk lies inside an mdat, none overlap, and what no chunk covers is noted."""
        media = sorted(self.movie.media)
        starts, spans, covered = [start for start, _ in media], [], 0
        for track in self.movie.tracks:
            for number, (at, size) in enumerate(track.chunks, 1):
                i = bisect.bisect_right(starts, at) - 1
                if i < 0 or at + size > media[i][1]:
                    self.report(f"track {track.id}: chunk {number}, {size} bytes at {at}, is in no mdat")
                    break
                spans.append((at, size, track.id, number))
                covered += size
        spans = sorted(span for span in spans if span[1])
        for (at, size, track, number), following in zip(spans, spans[1:]):
            if at + size > following[0]:
                self.report(
                    f"track {track}: chunk {number} ends at {at + size}, chunk {following[3]} of track {following[2]} begins at {following[0]}"
                )
                break
        total = sum(end - start for start, end in media)
        if covered < total:
            self.notes.append(f"{total - covered} of {total} bytes of mdat belong to no sample")

    def enabled(self):
        for handler, name in (("vide", "picture"), ("soun", "sound")):
            tracks = [track for track in self.movie.tracks if track.handler == handler]
            if tracks and not any(track.enabled for track in tracks):
                self.report(f"no {name} track is enabled")
            for track in tracks:
                if not track.samples:
                    self.report(f"track {track.id}: a {name} track without samples")


def opened(path):
    """The bytes of a file, mapped."""
    with open(path, "rb") as file:
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            return b""


def check(path):
    """(problems, notes) of a file."""
    data = opened(path)
    if not data:
        return ["the file is empty"], []
    checker = Checker(data)
    return checker.run(), checker.notes


def main(arguments):
    if "--help" in arguments or "-h" in arguments or not arguments:
        print(__doc__)
        return 0 if arguments else 2
    if "--self-test" in arguments:
        import checkmp4_selftest

        return checkmp4_selftest.run()
    wrong = 0
    for path in (argument for argument in arguments if argument != "--quiet"):
        problems, notes = check(path)
        wrong += bool(problems)
        for problem in problems:
            print(f"{path}: {problem}")
        if "--quiet" not in arguments:
            for note in notes:
                print(f"{path}: note: {note}")
            if not problems:
                print(f"{path}: right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
