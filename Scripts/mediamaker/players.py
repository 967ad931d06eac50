"""Plays a file to its end with other programs and collects what they complain of."""

import os
import re
import shutil
import subprocess
import tempfile

LIMIT = 120  # seconds for one player and file


def run(command, environment=None):
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        return None, "did not end"
    return done.returncode, done.stdout.decode("utf-8", "replace").strip()


def decoded(path, index):
    """A digest of all that a stream decodes to."""
    code, text = run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", f"0:{index}", "-f", "md5", "pipe:1"])
    return text if code == 0 else None


def complaints(path):
    """What ffmpeg says while it decodes all pictures and sound, without addresses and positions."""
    code, text = run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v?", "-map", "0:a?", "-f", "null", "-"])
    lines = [re.sub(r"^\[([^]@]*) @ 0x[0-9a-f]+\]", r"[\1]", line) for line in text.splitlines()]
    return code, lines


def play(path, source=None, is_damaged=False):
    """Problems that players have with a file; what ffmpeg says of the source as well is the source's.

    `is_damaged`: pictures of the source are broken, and each demuxer hands on other parts of them: ffmpeg may complain of any.
    """
    problems = []
    code, lines = complaints(path)
    known = set(complaints(source)[1]) if lines and source else set()
    news = [line for line in lines if line not in known]
    if code != 0 or (news and not is_damaged):
        problems.append(f"ffmpeg: exit code {code}: {'; '.join(news[:3])}")
    if shutil.which("mpv"):
        code, text = run_unprivileged(["mpv", "--no-config", "--vo=null", "--ao=null", "--untimed", "--msg-level=all=error", path])
        if code != 0 or (text and not known and not is_damaged):
            problems.append(f"mpv: exit code {code}: {text[:200]}")
    if shutil.which("cvlc"):
        pictures = has_pictures(path)
        found = vlc(path, pictures)
        if found and not (source and vlc(source, pictures)):  # what VLC cannot play of the source either is not the remux's doing
            problems += found
    return problems


def run_unprivileged(command):
    """Runs a player in a home of its own, as nobody if this is root."""
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o777)
        who = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        environment = {**os.environ, "HOME": home, "XDG_RUNTIME_DIR": home, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
        return run([*who, *command], environment)


def vlc(path, pictures):
    """Plays with VLC, four times as fast."""
    options = [
        "-vv",
        "--no-color",
        "--play-and-exit",
        "--vout=dummy",
        "--aout=dummy",
        "--rate=4",
        "--no-drop-late-frames",
        "--no-skip-frames",
        "--avcodec-hw=none",
        "--no-lua",
    ]
    code, text = run_unprivileged(["cvlc", *options, path])
    bad = re.findall(
        r"^.*(?:no suitable decoder module|no suitable demux module|could not identify codec|decoder error|mp4 demux error).*$", text, re.M
    )
    if code != 0 or bad:
        return [f"VLC: exit code {code}: {bad[0] if bad else text[-200:]}"]
    if pictures and "Received first picture" not in text:
        return ["VLC: no picture came"]
    return []


def has_pictures(path):
    code, text = run(["ffprobe", "-v", "error", "-select_streams", "V", "-show_entries", "stream=index", "-of", "csv=p=0", path])
    return code == 0 and bool(text)
