import TestSupport
import Testing

/// Scripts of bash in mount, network and process namespaces of their own, where an ordinary user runs reelfs through
/// fusermount3 with a device node that the test owns. Everything ends with the script.
///
/// The script has these words:
///
/// - `fresh`: a home, a runtime directory and a mount point `$H/mnt` for the user `$U` (65534), and the environment `$E`.
/// - `as COMMAND`: runs it as that user. `other COMMAND`: as somebody else.
/// - `say NAME COMMAND`: runs it and tells its status and output under that name.
/// - `R ARGUMENTS`: reelfs as that user, in the environment `$E`.
///
/// An HTTP server at `$URL` has `hi.txt` ("hi") and `f.bin` (3,000,000 bytes, also in `$SITE`).
enum UnprivilegedWorld {
    struct Answer {
        var status: Int32
        var text: String
    }

    static var isAvailable: Bool {
        TestTools.isRoot && ["unshare", "setpriv", "ip", "python3", "fusermount3", "mknod"].allSatisfy { TestTools.has($0) }
    }

    private static let prelude = #"""
        set -u
        mount --make-rprivate /
        mount -t tmpfs -o mode=755 none /mnt
        W=/mnt
        cp "$BINARY" $W/reelfs
        mount -t tmpfs -o mode=1777 none /tmp
        mknod $W/fuse c 10 229 && chmod 666 $W/fuse && mount --bind $W/fuse /dev/fuse
        ip link set lo up
        SITE=$W/site; mkdir $SITE; echo hi > $SITE/hi.txt; head -c 3000000 /dev/urandom > $SITE/f.bin
        (cd $SITE && exec python3 -m http.server --bind 127.0.0.1 8099 >/dev/null 2>&1) &
        URL=http://127.0.0.1:8099/
        U=65534 N=0
        for _ in $(seq 100); do (: < /dev/tcp/127.0.0.1/8099) 2>/dev/null && break; sleep 0.05; done
        as() { setpriv --reuid=$U --regid=$U --clear-groups "$@"; }
        other() { setpriv --reuid=1234 --regid=1234 --clear-groups "$@"; }
        fresh() {
            N=$((N+1)); H=$W/h$N; mkdir -p $H/home $H/run $H/mnt; chown -R $U:$U $H; chmod 700 $H/run $H/home
            E="PATH=/usr/bin:/bin HOME=$H/home XDG_RUNTIME_DIR=$H/run LANG=C.UTF-8"
        }
        R() { timeout 60 setpriv --reuid=$U --regid=$U --clear-groups env -i $E $W/reelfs "$@"; }
        say() { local name=$1 text status; shift; text=$("$@" 2>&1 </dev/null); status=$?; printf '@@%s %s\n%s\n' "$name" "$status" "$text"; }
        fresh
        """#

    /// - Returns: what each `say` told.
    static func run(_ script: String, deadline: Double = 120) async throws -> [String: Answer] {
        let binary = try #require(ReelfsProcess.builtBinary)
        var environment = TestTools.environment
        environment["BINARY"] = binary
        let result = try await Command(
            ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", "\(prelude)\n\(script)\nexit 0"],
            environment: environment, deadline: deadline
        ).run()
        try #require(result.status == 0, "\(result)")
        var answers: [String: Answer] = [:]
        for part in "\n\(result.output)".components(separatedBy: "\n@@").dropFirst() {
            let head = part.prefix { $0 != "\n" }.split(separator: " ")
            guard head.count == 2, let status = Int32(head[1]) else { continue }
            answers[String(head[0])] = Answer(status: status, text: String(part.drop { $0 != "\n" }.dropFirst()).trimmingEnd())
        }
        return answers
    }
}

extension String {
    fileprivate func components(separatedBy mark: String) -> [String] {
        var parts: [String] = [], rest = self[...]
        while let range = rest.firstRange(of: mark) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }

    fileprivate func trimmingEnd() -> String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
