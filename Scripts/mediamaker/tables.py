"""Samples out of the tables of a track, and out of fragments; what disagrees is told to `report`."""

from itertools import accumulate

from boxes import Broken, Sample, versioned

NOT_SYNC = 0x10000


def fill(track, report):
    """Reads stts, ctts, stsz, stsc, stco/co64 and stss of a track and sets its samples and chunks."""
    stbl, where = track.table, f"track {track.id}"
    size_box = stbl.one("stsz")
    fixed, count = size_box.read("II", 4)
    sizes = [fixed] * count if fixed else [entry[0] for entry in size_box.table("I", 8)]
    durations = [delta for number, delta in runs(stbl.one("stts").table("II"), count, where + "/stts", report) for _ in range(number)]
    shift_box, shifts = stbl.maybe("ctts"), None
    if shift_box:
        entries = shift_box.table("Ii" if shift_box.version() == 1 else "II")
        shifts = [shift for number, shift in runs(entries, count, where + "/ctts", report) for _ in range(number)]
        if len(shifts) != count:
            report(f"{where}: ctts states {len(shifts)} samples, stsz {count}")
            shifts = (shifts + [0] * count)[:count]
    if len(durations) != count:
        report(f"{where}: stts states {len(durations)} samples, stsz {count}")
        durations = (durations + [0] * count)[:count]
    keys = sync(stbl.maybe("stss"), count, where, report)
    offsets = spread(track, sizes, where, report)
    dts = [0, *accumulate(durations)]
    for i, offset in enumerate(offsets):
        track.samples.append(Sample(offset, sizes[i], dts[i], shifts[i] if shifts else 0, keys is None or i + 1 in keys, durations[i]))


def runs(entries, count, where, report):
    """Entries of (number, value), none of them absurd."""
    if sum(entry[0] for entry in entries) > count + 1000:
        report(f"{where}: states {sum(entry[0] for entry in entries)} samples, stsz {count}")
        return []
    return entries


def sync(box, count, where, report):
    if box is None:
        return None
    keys = [entry[0] for entry in box.table("I")]
    if any(b <= a for a, b in zip(keys, keys[1:])) or any(not 1 <= key <= count for key in keys):
        report(f"{where}: stss does not rise within 1...{count}")
    return set(keys)


def spread(track, sizes, where, report):
    """The offset of each sample by stsc and stco or co64; sets the chunks."""
    stbl, found = track.table, track.table.all("stco") + track.table.all("co64")
    if len(found) != 1:
        raise Broken(f"{where}: {len(found)} boxes of chunk offsets")
    chunks = [entry[0] for entry in found[0].table("Q" if found[0].name == "co64" else "I")]
    entries = stbl.one("stsc").table("III")
    firsts = [entry[0] for entry in entries]
    if (chunks and firsts[:1] != [1]) or any(b <= a for a, b in zip(firsts, firsts[1:])) or any(first > len(chunks) for first in firsts):
        report(f"{where}: stsc does not rise from 1 within {len(chunks)} chunks")
    if any(not 1 <= entry[2] <= len(track.entries) for entry in entries):
        report(f"{where}: stsc names a sample description that is not there")
    if any(entry[1] == 0 for entry in entries):
        report(f"{where}: stsc states empty chunks")
    offsets, sample = [], 0
    for i, (first, per_chunk, _) in enumerate(entries):
        last = entries[i + 1][0] if i + 1 < len(entries) else len(chunks) + 1
        for chunk in range(first, min(last, len(chunks) + 1)):
            at = chunks[chunk - 1]
            members = sizes[sample : sample + per_chunk]
            if len(members) < per_chunk:
                report(f"{where}: stsc places more than the {len(sizes)} samples of stsz")
                return offsets
            track.chunks.append((at, sum(members)))
            for size in members:
                offsets.append(at)
                at += size
            sample += per_chunk
    if sample != len(sizes):
        report(f"{where}: stsc places {sample} of the {len(sizes)} samples of stsz")
    return offsets


def optional(box, at, wanted, fields):
    """Optional 32 bit fields: name -> value for each flag that is set; and where they end."""
    values = {}
    for flag, name, form, width in fields:
        if wanted & flag:
            values[name] = box.read(form, at)[0]
            at += width
    return values, at


def fill_fragment(movie, moof, report):
    """Adds the samples of a moof to its tracks; answers (track, first sample, count, tfdt) for each traf."""
    tracks, added = {track.id: track for track in movie.tracks}, []
    defaults = {box.read("I", 4)[0]: box.read("IIII", 8) for box in movie.moov.all("mvex", "trex")}
    for traf in moof.all("traf"):
        head, flags = traf.one("tfhd"), traf.one("tfhd").flags()
        track = tracks.get(head.read("I", 4)[0])
        if track is None or track.id not in defaults:
            report(f"moof at {moof.start}: a traf of track {head.read('I', 4)[0]}, which has no trak or trex")
            continue
        own, _ = optional(
            head, 8, flags, [(1, "base", "Q", 8), (2, "entry", "I", 4), (8, "duration", "I", 4), (16, "size", "I", 4), (32, "flags", "I", 4)]
        )
        base = own.get("base", moof.start)
        if "base" not in own and not flags & 0x20000:
            report(f"moof at {moof.start}: offsets of track {track.id} have no base")
        _, duration, size, sample_flags = defaults[track.id]
        duration, size, sample_flags = own.get("duration", duration), own.get("size", size), own.get("flags", sample_flags)
        time_box = traf.maybe("tfdt")
        time = versioned(time_box, "I", "Q")[0] if time_box else None
        last = track.samples[-1] if track.samples else None
        dts = time if time is not None else (last.dts + last.duration if last else 0)
        first, at = len(track.samples), base
        for trun in traf.all("trun"):
            dts, at = fill_run(track, trun, dts, base, at, (duration, size, sample_flags), report)
        added.append((track, first, len(track.samples) - first, time, len(traf.all("trun"))))
    return added


def fill_run(track, trun, dts, base, at, defaults, report):
    wanted, count = trun.flags(), trun.read("I", 4)[0]
    head, place = optional(trun, 8, wanted, [(1, "offset", "i", 4), (4, "flags", "I", 4)])
    if "offset" in head:
        at = base + head["offset"]
    fields = [(0x100, "duration", "I", 4), (0x200, "size", "I", 4), (0x400, "flags", "I", 4), (0x800, "shift", "i" if trun.version() else "I", 4)]
    width = 4 * sum(1 for flag, *_ in fields if wanted & flag)
    if trun.body + place + width * count != trun.end:
        raise Broken(f"{trun.path}: {count} entries of {width} bytes do not fill it")
    start = at
    for i in range(count):
        values, place = optional(trun, place, wanted, fields)
        duration, size, flags = (values.get(name, default) for name, default in zip(("duration", "size", "flags"), defaults))
        if i == 0 and "flags" in head:
            flags = head["flags"]
        track.samples.append(Sample(at, size, dts, values.get("shift", 0), not flags & NOT_SYNC, duration))
        dts, at = dts + duration, at + size
    track.chunks.append((start, at - start))
    return dts, at


def loaded(movie, report):
    """Fills all tracks; answers what each fragment added."""
    for track in movie.tracks:
        fill(track, report)
    return [fill_fragment(movie, moof, report) for moof in movie.fragments]
