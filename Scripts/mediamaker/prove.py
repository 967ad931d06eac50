#!/usr/bin/env python3
"""Remuxes every file of the media set and holds what came out against the manifest.

Usage: Scripts/mediamaker/prove.py --remux COMMAND [--set DIRECTORY] [--only PATTERN] [--play] [--memory MIB] [--keep DIRECTORY]

COMMAND is split at spaces; {in} and {out} stand for the files. For example
    prove.py --remux 'reelfs remux {in} {out}'
    prove.py --remux 'reelfs remux {in} {out} --fragmented' --play
    prove.py --remux 'ffmpeg -nostdin -v error -i {in} -map 0:v? -map 0:a? -c copy -strict -2 {out}'

A file that should be carried: exit code 0, an OUT that checkmp4.py, `ffprobe -v error` and compare.py call right, and
that mediainfo sees tracks in; with --play also played by ffmpeg, mpv and VLC. A file that should be refused: an exit
code above zero, a message, and nothing left behind. Exit code 1 if any file fails.

  --set DIRECTORY   the media set (.build/media)
  --only PATTERN    only files whose name matches
  --memory MIB      a remux that takes more memory fails
  --keep DIRECTORY  leave the outputs there
  --help            this text
"""

import concurrent.futures
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import checkmp4
import players
from compare import Comparison

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT = 300  # seconds for one remux: nothing in the set takes longer, so it hangs


def remuxed(command, source, out):
    """(exit code or None if it hangs, what it said, greatest memory in MiB)."""
    filled = [word.replace("{in}", source).replace("{out}", out) for word in command.split()]
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(filled, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
        until, hangs, ended = time.monotonic() + LIMIT, False, 0
        while not ended:
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            if not ended and time.monotonic() > until and not hangs:
                child.kill()
                hangs = True
            time.sleep(0 if ended else 0.01)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().decode("utf-8", "replace").strip()
    return (None, f"not done after {LIMIT} s", 0) if hangs else (child.returncode, text, usage.ru_maxrss // 1024)


def refused(code, text, directory):
    """What is wrong with a refusal."""
    left = os.listdir(directory)
    problems = [f"refused with {left} left behind"] if left else []
    if code < 0:
        problems.append(f"ended by signal {-code}")
    return problems + ([] if text else ["refused without a word"])


def proved(entry, options, directory):
    """(problems, notes, time and memory) of one file."""
    source, out = os.path.join(options["--set"], entry["file"]), os.path.join(directory, entry["file"] + ".mp4")
    began = time.monotonic()
    code, text, memory = remuxed(options["--remux"], source, out)
    seconds = f"{time.monotonic() - began:.2f} s, {memory} MiB"
    if memory > int(options.get("--memory", memory)):
        return [f"took {memory} MiB of memory"], [], seconds
    if code is None or code < 0:
        return [text if code is None else f"ended by signal {-code}: {text[-200:]}"], [], seconds
    if code != 0 and entry["verdict"] != "carried":
        return refused(code, text, directory), [f"refused: {text.splitlines()[-1][:140]}"] if text else [], seconds
    if code != 0:
        return [f"exit code {code}: {text[-300:]}"], [], seconds
    if entry["verdict"] == "refused":
        return [f"carried, but it should be refused: {entry['why']}"], [], seconds
    problems, notes = checkmp4.check(out)
    complaint = subprocess.run(["ffprobe", "-v", "error", out], capture_output=True, text=True, check=False).stderr.strip()
    problems += [f"ffprobe: {complaint}"] if complaint else []
    if shutil.which("mediainfo"):
        said = subprocess.run(
            ["mediainfo", "--Output=General;%Format%/%VideoCount%/%AudioCount%", out], capture_output=True, text=True, check=False
        ).stdout
        if not said.startswith("MPEG-4/") or said.strip().endswith("//"):
            problems.append(f"mediainfo: {said.strip()}")
    reference = entry["facts"].get("reference")
    compared = Comparison(
        source,
        out,
        entry,
        os.path.join(options["--set"], reference) if reference else None,
        entry["facts"].get("least_share", 1.0),
        "--srt" in options["--remux"].split(),
    )
    if not entry["facts"].get("large"):
        problems += compared.run()
    if "--play" in options:
        problems += players.play(out, source, bool(entry["facts"].get("damage")))
    return problems, notes + compared.notes, seconds


def alone(entry, options):
    """`proved`, with a directory of its own."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)  # VLC plays as another user
        result = proved(entry, options, directory)
        for name in os.listdir(directory) if "--keep" in options else []:
            os.makedirs(options["--keep"], exist_ok=True)
            shutil.move(os.path.join(directory, name), os.path.join(options["--keep"], name))
    return result


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    options, rest = {"--set": os.path.join(ROOT, ".build", "media"), "--only": "*"}, iter(arguments)
    for argument in rest:
        options[argument] = True if argument == "--play" else next(rest, "")
    if "--remux" not in options:
        print("prove: --remux COMMAND is needed", file=sys.stderr)
        return 2
    with open(os.path.join(options["--set"], "manifest.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file)["files"] if fnmatch.fnmatch(entry["file"], options["--only"])]
    failed = 0
    # Players mostly wait for the clock.
    workers = (os.cpu_count() or 1) * (3 if "--play" in options else 1)
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        for entry, (problems, notes, seconds) in zip(entries, pool.map(alone, entries, [options] * len(entries))):
            failed += bool(problems)
            print(f"{'FAILS' if problems else 'holds'} {entry['file']} ({entry['verdict']}, {seconds})")
            for text in [f"    {problem}" for problem in problems] + [f"    note: {note}" for note in notes]:
                print(text, flush=True)
    print(f"prove: {failed} of {len(entries)} fail" if failed else f"prove: all {len(entries)} hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
