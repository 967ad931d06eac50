#!/usr/bin/env python3
"""Measures whether the cost of a read stays flat as directories, caches, files and open handles grow.

Usage: Scripts/bench/growth.py [--work DIRECTORY] [--quick]

Mounts an nginx on loopback with reelfs (REELFS, or the one in PATH) and prints a table: the median and the 99th
percentile of many reads of 4 KiB, with little around them and with much. --quick: a tenth of everything.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

REELFS = os.environ.get("REELFS", "reelfs")
PAGE = 4096
SIZE = 256 << 20  # so large that hardly a page is read twice


class Place:
    """An origin, a mount and a cache of their own."""

    def __init__(self, work):
        self.work = tempfile.mkdtemp(prefix="growth-", dir=work)
        os.chmod(self.work, 0o755)
        self.site, self.mount = self.path("site"), self.path("mnt")
        for name in ("site", "mnt", "run", "home", "log"):
            os.mkdir(self.path(name))
        os.chmod(self.path("run"), 0o700)
        self.port = 18080 + os.getpid() % 1000
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.path("home"), "XDG_RUNTIME_DIR": self.path("run")}

    def path(self, name):
        return os.path.join(self.work, name)

    def serve(self):
        with open(self.path("nginx.conf"), "w", encoding="utf-8") as file:
            file.write(
                f"user root; worker_processes 2; pid {self.path('nginx.pid')}; error_log {self.path('log/error')};\n"
                f"events {{ worker_connections 1024; }}\nhttp {{ access_log off; keepalive_requests 1000000; sendfile on; server {{\n"
                f"listen 127.0.0.1:{self.port}; root {self.site}; autoindex on; autoindex_format json; }} }}\n"
            )
        self.server = subprocess.Popen(["nginx", "-c", self.path("nginx.conf"), "-e", self.path("log/error"), "-g", "daemon off;"])
        time.sleep(1)

    def reelfs(self, *words):
        subprocess.run([REELFS, *words], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def open(self):
        self.serve()
        self.reelfs("mount", "--type", "http", "--cache-size", "20G", f"http://127.0.0.1:{self.port}/", self.mount)

    def close(self):
        self.reelfs("unmount", "--lazy", self.mount)
        self.server.terminate()
        self.server.wait()
        for _ in range(100):
            # The daemon ends a little later, and writes until then.
            if not os.path.exists(self.path("run/reelfs")) or not os.listdir(self.path("run/reelfs")):
                break
            time.sleep(0.2)
        shutil.rmtree(self.work, ignore_errors=True)

    def memory(self):
        """Of the daemon, in MiB."""
        with open(self.path("home/.cache/reelfs/lock"), encoding="utf-8") as file:
            pid = file.read().split()[0]
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def timed(reads):
    """Median and 99th percentile of the times that `reads` take, in microseconds."""
    times = []
    for read in reads:
        began = time.perf_counter()
        read()
        times.append((time.perf_counter() - began) * 1e6)
    return statistics.median(times), statistics.quantiles(times, n=100)[98]


def uncached(path):
    """Reads of a cached file past the kernel's page cache."""
    file = os.open(path, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    return file


def row(what, reads, place):
    median, worst = timed(reads)
    print(f"| {what} | {median:.0f} | {worst:.0f} | {place.memory():.0f} |", flush=True)


def read_of(file, places):
    return lambda: os.pread(file, PAGE, places.randrange(SIZE) // PAGE * PAGE)


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    share = 10 if "--quick" in arguments else 1
    work = arguments[arguments.index("--work") + 1] if "--work" in arguments else None
    places, place = random.Random(1), Place(work)
    many, entries, handles = 50_000 // share, 100_000 // share, 1000 // share
    try:
        with open(os.path.join(place.site, "film.bin"), "wb") as file:
            for _ in range(SIZE >> 20):
                file.write(places.randbytes(1 << 20))
        with open(os.path.join(place.site, "huge.bin"), "wb") as file:
            file.truncate(1 << 40)
        for name, count in (("many", many), ("wide", entries)):
            os.mkdir(os.path.join(place.site, name))
            for number in range(count):
                with open(os.path.join(place.site, name, f"file {number:06}.bin"), "wb") as file:
                    file.write(b"%06d" % number * 20)
        place.open()
        print("| what | median us | 99 % us | daemon MiB |\n| --- | --- | --- | --- |")
        film = os.path.join(place.mount, "film.bin")
        with open(film, "rb") as file:
            file.read()
        file = uncached(film)

        def cold_pages():
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            return [read_of(file, places) for _ in range(2000)]

        row("4 KiB of a cached file, nothing else", cold_pages(), place)
        began = time.perf_counter()
        assert len(os.listdir(os.path.join(place.mount, "wide"))) == entries
        first = time.perf_counter() - began
        stats = [f"{place.mount}/wide/file {places.randrange(entries):06}.bin" for _ in range(2000)]
        row(f"stat in a directory of {entries} entries (listed in {first:.1f} s)", [lambda path=path: os.stat(path) for path in stats], place)
        row(f"4 KiB, with a directory of {entries} entries", cold_pages(), place)
        began = time.perf_counter()
        for number in range(many):
            with open(f"{place.mount}/many/file {number:06}.bin", "rb") as small:
                assert small.read(6) == b"%06d" % number
        filled = time.perf_counter() - began
        row(f"4 KiB, with {many} objects in the cache (filled in {filled:.0f} s)", cold_pages(), place)
        kept = [f"{place.mount}/many/file {places.randrange(many):06}.bin" for _ in range(1000)]

        def whole(path):
            with open(path, "rb") as small:
                assert small.read(3)

        row(f"a whole small file, one of {many} cached", [lambda path=path: whole(path) for path in kept], place)
        opened = [uncached(film) for _ in range(handles)]
        cold_pages()
        row(f"4 KiB, through {handles} open handles in turn", [read_of(one, places) for one in opened * 2], place)
        huge = uncached(os.path.join(place.mount, "huge.bin"))
        reads = [lambda at=places.randrange(1 << 28) * PAGE: os.pread(huge, PAGE, at) for _ in range(500)]
        row("4 KiB anywhere in a file of 1 TiB, first time", reads, place)
        os.posix_fadvise(huge, 0, 0, os.POSIX_FADV_DONTNEED)
        row("the same again, from the cache", reads, place)
        row("4 KiB of the first file, after all that", cold_pages(), place)
        for one in [*opened, file, huge]:
            os.close(one)
    finally:
        place.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
