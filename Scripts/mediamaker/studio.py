"""Makes clips: elementary parts encoded once, then put together by ffmpeg, mkvmerge or the writers beside this file."""

import os
import subprocess
import threading

SECONDS = 4
PICTURE = "testsrc2=size=320x180:rate=25"
X264 = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-bf", "3", "-g", "48"]
X265 = ["-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
HDR = (
    "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:hdr10=1:repeat-headers=1:max-cll=1000,400:"
    "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
)
UNEVEN = "settb=1/1000,select='gt(mod(n,7),1)+lt(n,20)',setpts=N/25/TB+floor(N/9)*0.037/TB"

# Name of a part -> options behind the generated input: pictures ("v-") or sound ("a-").
PARTS = {
    "v-h264": [*X264, "-x264-params", "b-pyramid=normal:scenecut=0"],
    "v-h264-open": [*X264, "-g", "24", "-x264-params", "open-gop=1:b-pyramid=strict"],
    "v-h264-long": [*X264, "-g", "9999", "-x264-params", "scenecut=0:bframes=5:b-adapt=0:b-pyramid=normal:ref=5"],
    "v-h264-plain": [*X264, "-profile:v", "baseline", "-bf", "0"],
    "v-h264-film": ["-r", "24000/1001", *X264],
    "v-h264-vfr": ["-vf", UNEVEN, "-fps_mode", "vfr", "-enc_time_base", "1/1000", *X264],
    "v-h264-mbaff": ["-vf", "scale=320:192,tinterlace=interleave_top,fps=25", *X264, "-flags", "+ilme+ildct", "-x264-params", "tff=1"],
    "v-h264-wide": ["-vf", "scale=240:180,setsar=64/45", *X264],
    "v-hevc": [*X265, "-x265-params", "log-level=none:bframes=4:b-pyramid=1:keyint=48:open-gop=0"],
    "v-hevc-open": [*X265, "-x265-params", "log-level=none:bframes=4:keyint=24:min-keyint=24:open-gop=1"],
    "v-hevc-hdr": [
        *X265,
        "-pix_fmt",
        "yuv420p10le",
        "-color_primaries",
        "bt2020",
        "-color_trc",
        "smpte2084",
        "-colorspace",
        "bt2020nc",
        "-x265-params",
        "log-level=none:" + HDR,
    ],
    "v-av1": ["-c:v", "libsvtav1", "-preset", "12", "-pix_fmt", "yuv420p", "-g", "50"],
    "v-av1-aom": ["-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime", "-pix_fmt", "yuv420p", "-g", "50", "-t", "2"],
    "v-vp9": ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-pix_fmt", "yuv420p", "-b:v", "300k", "-g", "50"],
    "v-vp8": ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-pix_fmt", "yuv420p", "-b:v", "300k"],
    "v-mpeg2": ["-c:v", "mpeg2video", "-pix_fmt", "yuv420p", "-bf", "2", "-g", "15", "-b:v", "1M"],
    "v-mpeg2-fields": [
        "-vf",
        "scale=320:192,tinterlace=interleave_top,fps=25",
        "-c:v",
        "mpeg2video",
        "-pix_fmt",
        "yuv420p",
        "-bf",
        "2",
        "-g",
        "15",
        "-b:v",
        "1M",
        "-flags",
        "+ilme+ildct",
        "-top",
        "1",
    ],
    "v-mpeg1": ["-c:v", "mpeg1video", "-pix_fmt", "yuv420p", "-bf", "2", "-g", "15", "-b:v", "1M"],
    "v-mpeg4": ["-c:v", "mpeg4", "-pix_fmt", "yuv420p", "-bf", "2", "-g", "25", "-b:v", "500k"],
    "v-msmpeg4": ["-c:v", "msmpeg4", "-b:v", "500k"],
    "v-theora": ["-c:v", "libtheora", "-pix_fmt", "yuv420p", "-b:v", "300k"],
    "a-aac": ["-c:a", "aac", "-b:a", "64k"],
    "a-aac-44": ["-ar", "44100", "-c:a", "aac", "-b:a", "64k"],
    "a-aac-24": ["-ar", "24000", "-c:a", "aac", "-b:a", "48k"],
    "a-aac-51": ["-ac", "6", "-c:a", "aac", "-b:a", "128k"],
    "a-ac3": ["-c:a", "ac3", "-b:a", "128k"],
    "a-eac3": ["-c:a", "eac3", "-b:a", "128k"],
    "a-opus": ["-c:a", "libopus", "-b:a", "48k"],
    "a-flac": ["-c:a", "flac"],
    "a-mp3": ["-c:a", "libmp3lame", "-b:a", "64k"],
    "a-mp3-22": ["-ar", "22050", "-c:a", "libmp3lame", "-b:a", "32k"],
    "a-mp2": ["-c:a", "mp2", "-b:a", "96k"],
    "a-dts": ["-ac", "2", "-c:a", "dca", "-strict", "-2", "-b:a", "768k"],
    "a-truehd": ["-c:a", "truehd", "-strict", "-2"],
    "a-alac": ["-c:a", "alac"],
    "a-pcm": ["-c:a", "pcm_s16le"],
    "a-pcm-24": ["-c:a", "pcm_s24le"],
    "a-vorbis": ["-c:a", "libvorbis", "-q:a", "2"],
}


class Studio:
    """A directory of clips; each call that makes a file leaves either the whole file or none."""

    def __init__(self, directory):
        self.directory = directory
        self.parts = os.path.join(directory, ".parts")
        os.makedirs(self.parts, exist_ok=True)
        self._locks, self._lock = {}, threading.Lock()

    def path(self, name):
        return os.path.join(self.directory, name)

    def run(self, *command):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0 and not (command[0] == "mkvmerge" and done.returncode == 1):
            raise RuntimeError(" ".join(command) + "\n" + done.stdout.decode(errors="replace")[-2000:])

    def ffmpeg(self, *arguments):
        self.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-threads", "2", *arguments)

    def part(self, name):
        """The path of an encoded part, made when first asked for."""
        form = "matroska" if name in ("a-alac", "a-truehd") else "nut"  # NUT has no name for these two
        path = os.path.join(self.parts, f"{name}.{form}")
        with self._lock:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            if not os.path.exists(path):
                generated = PICTURE if name.startswith("v-") else "aevalsrc=0.3*sin(2*PI*t*(300+40*t))|0.2*sin(660*PI*t):s=48000"
                if name == "v-hevc-hdr":
                    generated += ":duration=2"
                self.ffmpeg("-f", "lavfi", "-i", generated, "-t", str(SECONDS), *PARTS[name], "-fflags", "+bitexact", "-f", form, path + ".new")
                os.rename(path + ".new", path)
        return path

    def mux(self, output, *parts, options=(), inputs=None):
        """Parts into one file by ffmpeg, all streams copied. `inputs`: options in front of a part, by its name."""
        arguments = []
        for part in parts:
            arguments += [*(inputs or {}).get(part, ()), "-i", self.part(part) if part in PARTS else part]
        for i in range(len(parts)):
            arguments += ["-map", str(i)]
        self.ffmpeg(*arguments, "-c", "copy", "-strict", "-2", *options, output)

    def text(self, name, content):
        """A small text file among the parts."""
        path = os.path.join(self.parts, name)
        with open(path + f".{threading.get_ident()}", "w", encoding="utf-8") as file:
            file.write(content)
        os.rename(file.name, path)
        return path

    def temporary(self, name):
        return os.path.join(self.parts, f"{threading.get_ident()}-{name}")
