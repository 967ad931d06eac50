import TestSupport

/// Scripts of Python in namespaces of their own (`UnprivilegedWorld`, as root), with servers that say nothing, stall and trickle,
/// and a network that can be taken away.
///
/// The script has: `reelfs(*arguments)`; `timed(*command)`, which answers (status, seconds, output); `started(*command)`, a process whose
/// SIGINT has its usual meaning; `interrupted(process)`, the seconds it takes to end after SIGINT; `say(name, value)`; `M`, the mount
/// point; `DATA`, what each file has. Servers: 127.0.0.1:8100 has an index of `good.bin` and of `s0.bin` to `s63.bin`, whose bytes never
/// come; the ports 8101 to 8164 accept and say nothing; 10.9.0.2:8100, behind the link `ve0`, trickles all files.
enum BlockingWorld {
    static func run(_ script: String, deadline: Double = 180) async throws -> [String: String] {
        try await UnprivilegedWorld.run(
            """
            unset U; U=0; fresh
            cat > $W/origin.py <<'ORIGIN'
            \(origin)
            ORIGIN
            unshare -n sleep 1000 & FAR=$!
            for _ in $(seq 100); do [ "$(readlink /proc/$FAR/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.05; done
            ip link add ve0 type veth peer name ve1 && ip link set ve1 netns $FAR
            ip addr add 10.9.0.1/24 dev ve0 && ip link set ve0 up
            nsenter -t $FAR -n sh -c 'ip link set lo up; ip addr add 10.9.0.2/24 dev ve1; ip link set ve1 up'
            python3 $W/origin.py 127.0.0.1 &
            nsenter -t $FAR -n python3 $W/origin.py 10.9.0.2 &
            for _ in $(seq 100); do (: < /dev/tcp/127.0.0.1/8164) 2>/dev/null && (: < /dev/tcp/10.9.0.2/8100) 2>/dev/null && break; sleep 0.05; done
            export W H
            cat > $W/script.py <<'SCRIPT'
            \(driver)
            \(script)
            SCRIPT
            python3 $W/script.py
            """, deadline: deadline
        ).mapValues(\.text)
    }

    private static let driver = #"""
        import os, signal, subprocess, sys, time
        W, H = os.environ["W"], os.environ["H"]
        M = H + "/mnt"
        DATA = bytes(range(256)) * 8192
        ENV = {"PATH": "/usr/bin:/bin", "HOME": H + "/home", "XDG_RUNTIME_DIR": H + "/run", "LANG": "C.UTF-8"}

        def say(name, value):
            print(f"@@{name} 0\n{value}", flush=True)

        def timed(*command):
            began = time.monotonic()
            done = subprocess.run(command, env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=170)
            return done.returncode, time.monotonic() - began, done.stdout.decode(errors="replace")

        def reelfs(*arguments):
            status, _, output = timed(W + "/reelfs", *arguments)
            if status:
                say("failed", f"{arguments}: {status} {output}")
                sys.exit(0)
            return output

        def started(*command):
            return subprocess.Popen(command, env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

        def interrupted(process):
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.wait(100)
            return time.monotonic() - began

        def daemon():
            return int(open(H + "/home/.cache/reelfs/lock").read().split()[0])
        """#

    private static let origin = #"""
        import http.server, socket, sys, time
        HOST = sys.argv[1]
        DATA = bytes(range(256)) * 8192
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_):
                pass
            def do_HEAD(self):
                self.do_GET(True)
            def do_GET(self, only_head=False):
                if self.path.endswith("/"):
                    names = ["good.bin"] + [f"s{i}.bin" for i in range(64)]
                    rows = "".join(f'<a href="{n}">{n}</a>  01-Jan-2026 00:00  {len(DATA)}\n' for n in names)
                    page = f"<html><head><title>Index of /</title></head><body><h1>Index of /</h1><pre>{rows}</pre></body></html>".encode()
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html")
                    self.send_header("Content-Length", str(len(page)))
                    self.end_headers()
                    if not only_head:
                        self.wfile.write(page)
                    return
                first, last = 0, len(DATA) - 1
                asked = self.headers.get("Range")
                if asked:
                    start, _, end = asked[6:].partition("-")
                    first, last = int(start), min(int(end or last), last)
                self.send_response(206 if asked else 200)
                if asked:
                    self.send_header("Content-Range", f"bytes {first}-{last}/{len(DATA)}")
                for name, value in (("ETag", '"1"'), ("Accept-Ranges", "bytes"), ("Content-Type", "application/octet-stream")):
                    self.send_header(name, value)
                self.send_header("Content-Length", str(last - first + 1))
                self.end_headers()
                if only_head:
                    return
                self.wfile.flush()
                if HOST == "127.0.0.1" and "/s" in self.path:
                    time.sleep(3600)
                body = DATA[first : last + 1]
                for start in range(0, len(body), 32768):
                    self.wfile.write(body[start : start + 32768])
                    if HOST != "127.0.0.1":
                        time.sleep(0.1)
        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 512
        silent = []
        if HOST == "127.0.0.1":
            for port in range(8101, 8165):
                one = socket.socket()
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                one.bind((HOST, port))
                one.listen(64)
                silent.append(one)
        Server((HOST, 8100), Handler).serve_forever()
        """#
}
