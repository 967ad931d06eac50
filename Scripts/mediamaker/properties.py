"""What a file says of its pictures and of itself, beside packets and times: shape, turn, colours, HDR, cover, creation."""

import os
import re
import subprocess

import texts
from streams import probe

COLOURS = ("color_primaries", "color_transfer", "color_space", "color_range")
# Side data of a stream, by ffprobe's name, and what of it is compared.
SIDE_DATA = {
    "Display Matrix": ("rotation",),
    "Mastering display metadata": (
        *(f"{colour}_{axis}" for colour in ("red", "green", "blue", "white_point") for axis in "xy"),
        "min_luminance",
        "max_luminance",
    ),
    "Content light level metadata": ("max_content", "max_average"),
    "DOVI configuration record": (
        "dv_profile",
        "dv_level",
        "rpu_present_flag",
        "el_present_flag",
        "bl_present_flag",
        "dv_bl_signal_compatibility_id",
    ),
}


def number(value):
    """Of a fraction as ffprobe writes them, or a number."""
    upper, _, lower = str(value).partition("/")
    return float(upper) / float(lower or 1)


def pictures(path):
    """Streams of moving pictures."""
    streams = probe(path, "-show_streams").get("streams", [])
    return [one for one in streams if one["codec_type"] == "video" and not one.get("disposition", {}).get("attached_pic")]


def side_data(stream):
    found = {one.get("side_data_type"): one for one in stream.get("side_data_list", [])}
    return {kind: {key: number(found[kind].get(key, 0)) for key in keys} for kind, keys in SIDE_DATA.items() if kind in found}


def close(one, other):
    # Mastering displays are stated in steps of 0.00002, luminance in steps of 0.0001.
    return set(one) == set(other) and all(abs(one[key] - other[key]) <= 0.0001 + 1e-6 * abs(one[key]) for key in one)


def of_pictures(source, out, has_start_codes=False):
    """Problems of the picture tracks of `out`, which are those of `source` in order.

    `has_start_codes`: the source's pictures say themselves what the container says of others.
    """
    for mine, theirs in zip(pictures(source), pictures(out)):
        where = f"picture track {theirs['index'] + 1}"
        aspects = [one.get("sample_aspect_ratio", "1:1") for one in (mine, theirs)]
        aspects = ["1:1" if aspect in ("0:1", "N/A") else aspect for aspect in aspects]
        if aspects[0] != aspects[1]:
            yield f"{where}: pixels of {aspects[1]}, the source says {aspects[0]}"
        for key in COLOURS:
            if mine.get(key, "unknown") != "unknown" and mine[key] != theirs.get(key):
                yield f"{where}: {key} {theirs.get(key)}, the source says {mine[key]}"
        ours, found = side_data(mine), side_data(theirs)
        for kind in SIDE_DATA:
            if kind not in ours and kind in found and kind == "Display Matrix" and not found[kind]["rotation"]:
                continue
            if kind in ours and kind not in found and has_start_codes:
                continue
            if (kind in ours) != (kind in found) or (kind in ours and not close(ours[kind], found[kind])):
                yield f"{where}: {kind} {found.get(kind)}, the source says {ours.get(kind)}"


def of_file(source, out):
    """Problems of what the files say of themselves."""
    made = [probe(path, "-show_format").get("format", {}).get("tags", {}) for path in (source, out)]
    created, title = [tags.get("creation_time") for tags in made], [tags.get("title") for tags in made]
    if created[0] and (created[1] or "")[:19] != created[0][:19]:
        yield f"created at {created[1]}, the source says {created[0]}"
    if title[0] and title[0] != title[1]:
        yield f"called '{title[1]}', the source says '{title[0]}'"


def picture_bytes(path):
    """Of the attached picture that ffmpeg finds."""
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v", "-map", "-0:V", "-c", "copy", "-frames:v", "1", "-f", "image2pipe", "pipe:1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.stdout


def of_cover(source, out):
    """Problems of a cover that the source has."""
    mine, theirs = picture_bytes(source), picture_bytes(out)
    if not mine:
        yield "the source has no cover after all"
    elif mine != theirs:
        yield f"a cover of {len(theirs)} bytes, the source's has {len(mine)}" if len(mine) != len(theirs) else "another cover"


def of_sidecars(source, out, pairs, shift):
    """Problems of the .srt files beside `out`: one for each text track that has text, with its cues."""
    directory, name = os.path.split(out)
    stem = os.path.splitext(name)[0]
    written = []
    for file in sorted(os.listdir(directory or ".")):
        if re.fullmatch(re.escape(stem) + r"\.[^/]+\.srt", file):
            with open(os.path.join(directory, file), encoding="utf-8") as text:
                written.append((file, texts.parsed(text.read())))
    wanted = []
    for mine, _ in pairs:
        if mine.kind == "subtitle":
            cues = texts.of_webvtt(source, mine.index) if mine.codec == "unknown" else texts.of_source(source, mine.index)
            if cues is None:
                return
            wanted.append((mine.index, cues))
    if len(wanted) != len(written):
        yield f"{len(written)} .srt files, {len(wanted)} text tracks"
        return
    for index, cues in wanted:
        if not any(same_cues(cues, got, shift) for _, got in written):
            yield f"no .srt has the texts of track {index} at its times: {[file for file, _ in written]}"


def same_cues(wanted, got, shift):
    return [cue[2] for cue in wanted] == [cue[2] for cue in got] and all(
        abs(other[0] - one[0] - shift) <= 0.0021 and abs(other[1] - one[1] - shift) <= 0.0021 for one, other in zip(wanted, got)
    )
