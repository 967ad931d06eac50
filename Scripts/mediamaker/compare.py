#!/usr/bin/env python3
"""Compares a remuxed MP4 with its source, packet by packet.

Usage: Scripts/mediamaker/compare.py SOURCE OUT.mp4 [--manifest FILE] [--reference FILE --least SHARE] [--play]
       Scripts/mediamaker/compare.py --self-test

Each packet of each track of OUT is that of the source bit for bit (but for the container's own framing: start codes or
lengths of NAL units, ADTS); presentation times are equal within a tick of the source's clock after one shift that is the
same for all tracks; languages, names, default flags, chapters, texts of subtitles, shape and turn of the picture, colours, HDR, Dolby
Vision, title, creation time and cover agree. The source is read by
ffmpeg, OUT by our own reader, and ffprobe has to see the same packets in OUT.

  --manifest FILE   hold the tracks against what the media set's manifest expects of this file
  --reference FILE  the source is damaged: at least SHARE of this undamaged file's packets are to be found, in order
  --play            decode all of it with ffmpeg, and play it with mpv and VLC where they are installed (VLC as nobody, if this is root:
                    the directories have to be open to all)
  --self-test       remux a clip with ffmpeg, damage the output in several ways and see that each is told
  --quiet           say only what is wrong
  --help            this text

Exit code 1 if they differ.
"""

import json
import os
import sys

import players
import properties
import texts
from boxes import Broken
from matching import in_order, merged, same_codec
from streams import probe, remuxed_streams, source_streams

BOTH_NAMES = {
    "ger": "deu",
    "fre": "fra",
    "chi": "zho",
    "dut": "nld",
    "cze": "ces",
    "gre": "ell",
    "per": "fas",
    "rum": "ron",
    "slo": "slk",
    "alb": "sqi",
}
BREAK = 10.0  # seconds: a longer step between packets of a source is a discontinuity


class Comparison:
    def __init__(self, source, out, entry=None, reference=None, least=1.0, sidecars=False):
        """`sidecars`: text subtitles are beside `out` as .srt files, too."""
        self.sidecars = sidecars
        self.source_path, self.out_path, self.entry = source, out, entry or {}
        self.facts = self.entry.get("facts", {})
        self.reference, self.least = reference, least
        self.problems, self.notes = [], []

    def report(self, text):
        self.problems.append(text)

    def run(self):
        try:
            source = source_streams(self.reference or self.source_path)
            out, _ = remuxed_streams(self.out_path)
        except (Broken, RuntimeError) as error:
            self.report(str(error))
            return self.problems
        if self.facts.get("pmt_change") and len(out) < len(source):
            source = merged(source)
        pairs = self.matched(source, out)
        if not pairs:
            self.report("no track of the source was found again")
        self.expected(source, pairs)
        for mine, theirs in pairs:
            if mine.kind != "subtitle":
                self.payload(mine, theirs)
        shift = self.times([(mine, theirs) for mine, theirs in pairs if mine.kind != "subtitle"])
        self.descriptions(pairs)
        if not self.reference:
            self.chapters(shift)
            self.subtitles(pairs, shift)
            self.properties(pairs, shift)
        self.second_opinion(out)
        return self.problems

    def matched(self, source, out):
        """Pairs of a source's stream and the track it became: the first of that codec that is still free."""
        pairs, free = [], list(source)
        for track in out:
            if track.kind == "subtitle":
                found = next(
                    (one for one in free if one.kind == "subtitle" and one.codec in ("subrip", "ass", "webvtt", "mov_text", "unknown", "text")), None
                )
            else:
                found = next((one for one in free if one.kind == track.kind and same_codec(one.codec, track.codec)), None)
            if found is None:
                self.report(f"track {track.index + 1} ({track.codec}) is in no way from the source")
                continue
            free.remove(found)
            pairs.append((found, track))
        return pairs

    def expected(self, source, pairs):
        """What the manifest says of each track, by the order of the tracks of one kind and codec."""
        carried = [mine.index for mine, _ in pairs]
        listed = list(source)
        for wanted in self.entry.get("tracks", []):
            found = next((one for one in listed if one.kind == wanted["kind"] and (one.codec == wanted["codec"] or one.codec == "unknown")), None)
            if found is None:
                continue
            listed.remove(found)
            if wanted["fate"] == "carried" and found.index not in carried:
                self.report(f"{wanted['kind']} track {found.index} ({wanted['codec']}) is missing")
            if wanted["fate"] == "left out" and found.index in carried:
                self.report(f"{wanted['kind']} track {found.index} ({wanted['codec']}) is carried though {wanted['why']}")

    def payload(self, mine, theirs):
        where = f"track {theirs.index + 1} ({theirs.codec})"
        if self.reference:
            found = in_order([packet.digest for packet in mine.packets], [packet.digest for packet in theirs.packets])
            share = len(found) / max(1, len(mine.packets))
            if share < self.least:
                self.report(f"{where}: only {share:.1%} of the packets are there, {self.least:.1%} are expected")
            strange = len(theirs.packets) - len(found)
            if strange and self.least == 1.0:
                self.report(f"{where}: {strange} packets are not those of the undamaged file")
            elif strange:
                self.notes.append(f"{where}: {strange} packets are not those of the undamaged file")
            return
        if mine.codec == "aac_latm":
            if players.decoded(self.source_path, mine.index) != players.decoded(self.out_path, theirs.index):
                self.report(f"{where}: decodes to other sound than the source")
            return
        if len(mine.packets) != len(theirs.packets):
            if mine.whole != theirs.whole:
                self.report(f"{where}: {len(theirs.packets)} packets, the source has {len(mine.packets)}")
            else:
                self.notes.append(f"{where}: the same bytes in {len(theirs.packets)} packets, ffmpeg cuts the source into {len(mine.packets)}")
            return
        for number, (one, other) in enumerate(zip(mine.packets, theirs.packets), 1):
            if one.digest != other.digest:
                self.report(f"{where}: packet {number} differs ({one.size} and {other.size} bytes)")
                break

    def times(self, pairs):
        """Presentation times after one common shift for each stretch between discontinuities; answers the first shift."""
        shifts = []
        for mine, theirs in pairs:
            where, stretch, before = f"track {theirs.index + 1} ({theirs.codec})", 0, None
            worst, at = 0.0, 0
            for number, (one, other) in enumerate(self.aligned(mine, theirs), 1):
                if one.time is None:
                    continue
                if before is not None and abs(one.time - before) > BREAK:
                    stretch += 1
                before = one.time
                if stretch == len(shifts):
                    shifts.append(other.time - one.time)
                over = abs(other.time - one.time - shifts[stretch]) - self.allowed(mine, theirs, one)
                if over > worst:
                    worst, at = over, number
            if worst > 0:
                self.report(f"{where}: packet {at} is off by {worst * 1000:.3f} ms more than the clocks explain")
        return shifts[0] if shifts else 0.0

    def allowed(self, mine, theirs, packet):
        slack = packet.tolerance
        if self.facts.get("segments") or mine.codec == "aac_latm" or self.reference:
            slack = max(slack, 0.03)  # each stream's own end of a segment; a demuxer's guess behind damage
        if self.reference and mine.kind == "audio":
            slack = max(slack, 0.05)  # two frames lost inside a PES: nobody knows that it were two until the next PES has a time
        return mine.tick + theirs.tick + slack + 1e-9

    def aligned(self, mine, theirs):
        if self.reference:
            left = [packet.digest for packet in mine.packets]
            found = in_order(left, [packet.digest for packet in theirs.packets])
            return [(mine.packets[i], theirs.packets[k]) for i, k in found]
        return zip(mine.packets, theirs.packets) if len(mine.packets) == len(theirs.packets) else []

    def descriptions(self, pairs):
        sounds = [(mine, theirs) for mine, theirs in pairs if mine.kind == "audio"]
        for mine, theirs in pairs:
            where = f"track {theirs.index + 1} ({theirs.codec})"
            if BOTH_NAMES.get(mine.language, mine.language) != BOTH_NAMES.get(theirs.language, theirs.language):
                self.report(f"{where}: language {theirs.language}, the source says {mine.language}")
            if mine.title and mine.title != theirs.title:
                self.report(f"{where}: name '{theirs.title}', the source says '{mine.title}'")
        default = [theirs for mine, theirs in sounds if mine.default]
        if len(default) == 1 and not default[0].enabled:
            self.report(f"track {default[0].index + 1}: the source's default sound is not enabled")
        if any(mine.kind == "video" and not theirs.enabled for mine, theirs in pairs[:1]):
            self.report("the first picture track is not enabled")

    def chapters(self, shift):
        mine, theirs = (probe(path, "-show_chapters").get("chapters", []) for path in (self.source_path, self.out_path))
        if len(mine) != len(theirs):
            self.report(f"{len(theirs)} chapters, the source has {len(mine)}")
            return
        for number, (one, other) in enumerate(zip(mine, theirs), 1):
            titles = [chapter.get("tags", {}).get("title", "") for chapter in (one, other)]
            if titles[0] != titles[1]:
                self.report(f"chapter {number} is called '{titles[1]}', the source says '{titles[0]}'")
            if abs(float(other["start_time"]) - float(one["start_time"]) - shift) > 0.0021:
                self.report(f"chapter {number} begins at {other['start_time']}, the source says {one['start_time']}")

    def subtitles(self, pairs, shift):
        for mine, theirs in pairs:
            if mine.kind != "subtitle":
                continue
            where = f"track {theirs.index + 1} (subtitles)"
            unread = mine.codec == "unknown"
            wanted = texts.of_webvtt(self.source_path, mine.index) if unread else texts.of_source(self.source_path, mine.index)
            got = texts.of_remuxed(theirs)
            if wanted is None:
                self.notes.append(f"{where}: nothing here reads the source's, so its cues were not compared")
                continue
            if [cue[2] for cue in wanted] != [cue[2] for cue in got]:
                self.report(f"{where}: {[cue[2] for cue in got]}, the source says {[cue[2] for cue in wanted]}")
                continue
            for one, other in zip(wanted, got):
                if abs(other[0] - one[0] - shift) > 0.0021 or abs(other[1] - one[1] - shift) > 0.0021:
                    self.report(f"{where}: '{one[2]}' is shown {other[0]:.3f}-{other[1]:.3f}, the source says {one[0]:.3f}-{one[1]:.3f}")

    def properties(self, pairs, shift):
        has_start_codes = self.entry.get("container") == "mpegts"
        self.problems += properties.of_pictures(self.source_path, self.out_path, has_start_codes)
        self.problems += properties.of_file(self.source_path, self.out_path)
        if self.facts.get("cover"):
            self.problems += properties.of_cover(self.source_path, self.out_path)
        if self.sidecars:
            self.problems += properties.of_sidecars(self.source_path, self.out_path, pairs, shift)

    def second_opinion(self, out):
        """ffprobe reads the same packets out of OUT as we do."""
        packets = probe(self.out_path, "-show_entries", "packet=stream_index,size", "-show_packets").get("packets", [])
        for track in out:
            if track.kind == "subtitle" or track.codec.startswith("pcm"):
                continue
            count = sum(1 for packet in packets if packet["stream_index"] == track.index)
            if count != len(track.packets):
                self.report(f"track {track.index + 1} ({track.codec}): ffprobe sees {count} packets, the tables state {len(track.packets)}")


def entry_of(manifest, source):
    with open(manifest, encoding="utf-8") as file:
        listed = json.load(file)["files"]
    return next((entry for entry in listed if entry["file"] == os.path.basename(source)), None)


def main(arguments):
    if "--self-test" in arguments:
        import compare_selftest

        return compare_selftest.run()
    if "--help" in arguments or "-h" in arguments or len(arguments) < 2:
        print(__doc__)
        return 0 if "--help" in arguments or "-h" in arguments else 2
    paths, options, rest = [], {}, iter(arguments)
    for argument in rest:
        if argument in ("--manifest", "--reference", "--least"):
            options[argument] = next(rest)
        elif argument in ("--play", "--quiet"):
            options[argument] = True
        else:
            paths.append(argument)
    source, out = paths
    entry = entry_of(options["--manifest"], source) if "--manifest" in options else None
    reference, least = options.get("--reference"), float(options.get("--least", "1"))
    if entry and not reference and entry["facts"].get("reference"):
        reference = os.path.join(os.path.dirname(options["--manifest"]), entry["facts"]["reference"])
        least = entry["facts"].get("least_share", 1.0)
    compared = Comparison(source, out, entry, reference, least)
    problems = compared.run()
    if "--play" in options:
        problems += players.play(out, source)
    for problem in problems:
        print(f"{out}: {problem}")
    if "--quiet" not in options:
        for note in compared.notes:
            print(f"{out}: note: {note}")
        if not problems:
            print(f"{out}: the same as {source}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
