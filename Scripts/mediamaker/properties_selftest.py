"""Changes what one of two files says of itself, and expects the comparison to say so."""

import copy
import os
import tempfile
from types import SimpleNamespace

import properties
import texts

PICTURE = {
    "index": 0,
    "sample_aspect_ratio": "64:45",
    "color_primaries": "bt2020",
    "color_transfer": "smpte2084",
    "color_space": "bt2020nc",
    "color_range": "tv",
    "side_data_list": [
        {"side_data_type": "Display Matrix", "rotation": -90},
        {
            "side_data_type": "Mastering display metadata",
            "red_x": "34000/50000",
            "red_y": "16000/50000",
            "green_x": "13250/50000",
            "green_y": "34500/50000",
            "blue_x": "7500/50000",
            "blue_y": "3000/50000",
            "white_point_x": "15635/50000",
            "white_point_y": "16450/50000",
            "min_luminance": "1/10000",
            "max_luminance": "10000000/10000",
        },
        {"side_data_type": "Content light level metadata", "max_content": 1000, "max_average": 400},
        {"side_data_type": "DOVI configuration record", "dv_profile": 8, "dv_level": 4, "dv_bl_signal_compatibility_id": 1},
    ],
}


def changes():
    """(what, the changed picture, a word of what is to be told)."""
    for key, value, word in (
        ("sample_aspect_ratio", "1:1", "pixels of"),
        ("color_primaries", "bt709", "color_primaries"),
        ("color_transfer", "bt709", "color_transfer"),
        ("color_space", "bt709", "color_space"),
        ("color_range", "pc", "color_range"),
    ):
        yield key, {**copy.deepcopy(PICTURE), key: value}, word
    for place, (key, value) in enumerate((("rotation", 90), ("red_x", "33000/50000"), ("max_content", 999), ("dv_level", 5))):
        for what, change in (("changed", lambda one: one.update({key: value})), ("missing", lambda one: one.update(side_data_type="another"))):
            made = copy.deepcopy(PICTURE)
            change(made["side_data_list"][place])
            yield f"{key} {what}", made, PICTURE["side_data_list"][place]["side_data_type"]


def told(function, *arguments, **fakes):
    """What `function` tells while functions of the module are replaced."""
    kept = {name: getattr(properties, name) for name in fakes}
    for name, fake in fakes.items():
        setattr(properties, name, fake)
    try:
        return list(function(*arguments))
    finally:
        for name, value in kept.items():
            setattr(properties, name, value)


def sidecars():
    """(what, the texts of the .srt, whether it is right)."""
    right = "1\n00:00:01,000 --> 00:00:02,000\nOne\n\n2\n00:00:03,000 --> 00:00:04,000\nTwo\n\n"
    yield "the texts themselves", right, True
    yield "another text", right.replace("Two", "Three"), False
    yield "another time", right.replace("03,000", "03,100"), False
    yield "a text less", right[: right.index("2\n00")], False
    yield "no file", None, False


def failures():
    found = []

    def expect(what, problems, word):
        if not (any(word in problem for problem in problems) if word else not problems):
            found.append(f"{what}: expected {word!r}, told {problems}")

    def pictures_of(path):
        return [{"a": PICTURE, "b": changed}[path]]

    changed = PICTURE
    expect("the same picture", told(properties.of_pictures, "a", "b", pictures=pictures_of), "")
    for what, changed, word in changes():
        expect(what, told(properties.of_pictures, "a", "b", pictures=pictures_of), word)
    for key in ("creation_time", "title"):
        tags = {"a": {key: "2020-01-02T03:04:05.000000Z"}, "b": {key: "2020-01-02T03:04:06.000000Z"}}
        expect(key, told(properties.of_file, "a", "b", probe=lambda path, _: {"format": {"tags": tags[path]}}), "the source says")
        expect(key, told(properties.of_file, "a", "a", probe=lambda path, _: {"format": {"tags": tags[path]}}), "")
    covers = {"a": b"cover", "b": b"caver", "c": b""}
    for other, word in (("a", ""), ("b", "another cover"), ("c", "a cover of 0 bytes")):
        expect(f"cover {other}", told(properties.of_cover, "a", other, picture_bytes=covers.get), word)
    cues = [(1.0, 2.0, "One"), (3.0, 4.0, "Two")]
    fake = SimpleNamespace(of_source=lambda *_: cues, of_webvtt=lambda *_: None, parsed=texts.parsed)
    pairs = [(SimpleNamespace(kind="subtitle", codec="subrip", index=2), None)]
    for what, text, is_right in sidecars():
        with tempfile.TemporaryDirectory() as directory:
            if text is not None:
                with open(os.path.join(directory, "out.en.srt"), "w", encoding="utf-8") as file:
                    file.write(text)
            expect(what, told(properties.of_sidecars, "a", os.path.join(directory, "out.mp4"), pairs, 0.0, texts=fake), "" if is_right else ".srt")
    return found
