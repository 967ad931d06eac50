"""What has to agree in a fragmented MP4."""

from boxes import Broken, versioned


def fragments(checker, added):
    """Sequence numbers, times and places of each moof, and every sidx."""
    movie = checker.movie
    if movie.fragments and not movie.moov.all("mvex"):
        checker.report("there are moof and no mvex")
    expected, ends = None, {}
    for moof, trafs in zip(movie.fragments, added):
        number = moof.one("mfhd").read("I", 4)[0]
        if expected is not None and number != expected:
            checker.report(f"moof at {moof.start}: sequence number {number}, not {expected}")
        expected = number + 1
        following = next((box for box in movie.boxes if box.start == moof.end), None)
        if following is None or following.name != "mdat":
            checker.report(f"moof at {moof.start}: no mdat behind it")
            continue
        for track, first, count, time, runs in trafs:
            samples = track.samples[first : first + count]
            if any(s.offset < following.body or s.offset + s.size > following.end for s in samples):
                checker.report(f"moof at {moof.start}: samples of track {track.id} are outside its mdat")
            if time is None:
                checker.report(f"moof at {moof.start}: no tfdt for track {track.id}")
            elif time < ends.get(track.id, 0):
                checker.report(f"moof at {moof.start}: tfdt {time} of track {track.id}, whose samples end at {ends[track.id]}")
            elif track.id in ends and time > ends[track.id]:
                checker.notes.append(f"moof at {moof.start}: a gap of {time - ends[track.id]} ticks in track {track.id}")
            if runs > 1:
                checker.notes.append(f"moof at {moof.start}: {runs} truns in one traf, which ffmpeg indexes wrongly after seeks")
            if samples:
                ends[track.id] = samples[-1].dts + samples[-1].duration
    for box in movie.indexes:
        index(checker, box)


def index(checker, box):
    """One moof for each reference; the references tile, and end with the file or at the next index."""
    track_id, scale = box.read("II", 4)
    earliest, first = versioned(box, "8xII", "8xQQ")
    at = 28 if box.version() == 1 else 20
    _, count = box.read("HH", at)
    if box.body + at + 4 + 12 * count != box.end:
        raise Broken(f"{box.path}: {count} references do not fill it")
    track = next((track for track in checker.movie.tracks if track.id == track_id), None)
    if track is None:
        checker.report(f"sidx at {box.start}: there is no track {track_id}")
        return
    moofs, position = [moof.start for moof in checker.movie.fragments], box.end + first
    if track.samples and track.scale == scale and moofs and position <= moofs[0]:
        begin = min(sample.dts + sample.shift for sample in track.samples)
        media_time = next((edit[1] for edit in track.edits if edit[1] > 0), 0)
        if earliest not in (begin, begin - media_time):
            checker.notes.append(f"sidx at {box.start}: begins at {earliest}, track {track_id} at {begin}")
    for number in range(count):
        size = box.read("I", at + 4 + 12 * number)[0]
        inside = [start for start in moofs if position <= start < position + (size & 0x7FFFFFFF)]
        if size >> 31:
            checker.report(f"sidx at {box.start}: reference {number + 1} is to another sidx")
        elif len(inside) != 1:
            checker.report(f"sidx at {box.start}: reference {number + 1} covers {len(inside)} moof")
        position += size & 0x7FFFFFFF
    if position > len(checker.data) or all(position != other.start for other in checker.movie.boxes) and position != len(checker.data):
        checker.report(f"sidx at {box.start}: its references end at {position}, where no box begins")
