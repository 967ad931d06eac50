import MemoryTree
import TestSupport
import Testing

@testable import FuseAdapter

extension MountedSuites {
    /// Run by root, these tests become the user nobody, in a mount namespace with a `/dev/fuse` that everybody may open.
    @Suite(
        "A user who is not root",
        .enabled(if: TestTools.isRoot && TestTools.has("unshare") && TestTools.has("setpriv"), "needs root to become another"))
    struct OrdinaryUserTests {
        /// Runs a script as that user; `$PROGRAM` mounts, `$PWD` is a directory of theirs with `mnt` in it.
        private static func run(_ script: String) async throws -> Command.Result {
            let directory = try TemporaryDirectory("fuse")
            _ = try directory.directory("home")
            _ = try directory.directory("home/mnt")
            _ = try directory.directory("foreign")
            _ = try directory.file("script", script)
            let prepare = """
                set -e
                cp "$1" "$2/program"; chmod 755 "$2/program"
                mknod "$2/fuse" c 10 229; chmod 666 "$2/fuse"; mount --bind "$2/fuse" /dev/fuse
                chown -R nobody "$2/home"
                exec setpriv --reuid=nobody --regid=nogroup --clear-groups env -C "$2/home" HOME="$2/home" PROGRAM="$2/program" bash "$2/script"
                """
            return try await Command(["unshare", "-m", "bash", "-c", prepare, "prepare", try MountProgram.path(), directory.path], deadline: 60)
                .run()
        }

        @Test("mounts, reads, writes nothing, and unmounts by fusermount3, also when busy")
        func mounts() async throws {
            let result = try await Self.run(
                """
                coproc "$PROGRAM" mnt; read -r word <&"${COPROC[0]}"; echo "$word"
                cat mnt/hello; stat -c '%U %a' mnt/hello; touch mnt/new 2>/dev/null && echo wrote
                exec 7<mnt/hello
                eval "exec ${COPROC[1]}>&-"; wait "$COPROC_PID"; echo "ended $?"; grep fuse.reelfs /proc/self/mountinfo | grep -c " $PWD/mnt "
                """)
            #expect(result.lines == ["mounted", "hello", "nobody 644", "ended 0", "0"], "\(result)")
        }

        @Test("replaces their dead mount, and is told of fusermount3 -u")
        func replaces() async throws {
            let result = try await Self.run(
                """
                coproc "$PROGRAM" mnt; read -r word <&"${COPROC[0]}"; kill -9 "$COPROC_PID"; wait "$COPROC_PID" 2>/dev/null
                ls mnt 2>&1 | grep -c 'not connected'
                coproc "$PROGRAM" mnt; read -r word <&"${COPROC[0]}"; echo "$word"; cat mnt/hello; grep fuse.reelfs /proc/self/mountinfo | grep -c " $PWD/mnt "
                fusermount3 -u mnt; eval "exec ${COPROC[1]}>&-"; wait "$COPROC_PID"; echo "ended $?"; grep fuse.reelfs /proc/self/mountinfo | grep -c " $PWD/mnt "
                """)
            #expect(result.lines == ["1", "mounted", "hello", "1", "ended 0", "0"], "\(result)")
        }

        @Test("mounts on a directory that nobody may list, which stays closed without the mount")
        func closedMountPoint() async throws {
            let result = try await Self.run(
                """
                chmod 300 mnt; ls mnt 2>&1 | grep -c denied
                coproc "$PROGRAM" mnt; read -r word <&"${COPROC[0]}"; echo "$word"; cat mnt/hello; stat -c %a mnt
                fusermount3 -u mnt; eval "exec ${COPROC[1]}>&-"; wait "$COPROC_PID"; ls mnt 2>&1 | grep -c denied
                """)
            #expect(result.lines == ["1", "mounted", "hello", "755", "1"], "\(result)")
        }

        @Test("is told why a mount is refused")
        func refusals() async throws {
            let result = try await Self.run(#""$PROGRAM" ../foreign; grep -q ^user_allow_other /etc/fuse.conf || "$PROGRAM" mnt allow_other"#)
            #expect(result.errors.contains("a directory that you may write to"), "\(result)")
            #expect(result.errors.contains("user_allow_other"), "\(result)")
        }
    }
}
