import TestSupport
import Testing

@Suite("Ordinary users", .serialized, .enabled(if: UnprivilegedWorld.isAvailable && ReelfsProcess.builtBinary != nil))
struct UnprivilegedTests {
    @Test("a user mounts, reads, joins and unmounts through fusermount3; nobody else looks in, not even root")
    func everyday() async throws {
        let said = try await UnprivilegedWorld.run(
            """
            say mount R mount $URL $H/mnt
            say list as ls -ln $H/mnt
            say read as cmp $H/mnt/f.bin $SITE/f.bin
            say root ls $H/mnt
            say other other cat $H/mnt/hi.txt
            as mkdir $H/second
            say join R mount $URL $H/second
            say daemons sh -c 'ls $0/home/.cache/reelfs/lock $0/run/reelfs/*.sock | wc -l' $H
            say ahead sh -c 'for d in $(awk "/ .mnt.h.*fuse.reelfs/{print \\$3}" /proc/self/mountinfo); do cat /sys/class/bdi/$d/read_ahead_kb; done'
            say write as touch $H/mnt/new
            say unmount R unmount $H/mnt
            say rest R unmount --all
            say table grep -c " $H/" /proc/self/mountinfo
            """)
        #expect(said["mount"]?.status == 0, "\(said)")
        #expect(said["list"]?.text.contains("-rw-r--r-- 1 65534 65534") == true, "\(said)")
        #expect(said["read"]?.status == 0)
        for name in ["root", "other"] { #expect(said[name]?.status != 0 && said[name]?.text.contains("Permission denied") == true, "\(said)") }
        #expect(said["join"]?.status == 0 && said["daemons"]?.text == "2", "\(said)")
        #expect(said["ahead"]?.text.split(separator: "\n").allSatisfy { (Int($0) ?? 0) >= 128 } == true, "\(said)")
        #expect(said["write"]?.text.contains("Read-only file system") == true)
        #expect(said["unmount"]?.status == 0 && said["rest"]?.status == 0 && said["table"]?.text == "0", "\(said)")
    }

    @Test("allow_other is refused as long as fuse.conf does, with the line that is missing; then others look in")
    func others() async throws {
        let said = try await UnprivilegedWorld.run(
            """
            : > $W/none; mount --bind $W/none /etc/fuse.conf
            say refused R mount -o allow_other $URL $H/mnt
            say doctor R doctor --offline
            umount /etc/fuse.conf; echo user_allow_other > $W/some; mount --bind $W/some /etc/fuse.conf
            say allowed R mount -o allow_other $URL $H/mnt
            say other other cat $H/mnt/hi.txt
            say unmount R unmount $H/mnt
            """)
        #expect(said["refused"]?.status == 32 && said["refused"]?.text.contains("user_allow_other") == true, "\(said)")
        #expect(said["doctor"]?.text.contains("allow_other") == true, "\(said)")
        #expect(said["allowed"]?.status == 0 && said["other"]?.text == "hi" && said["unmount"]?.status == 0, "\(said)")
    }

    @Test("without a runtime directory the control socket lies in a directory of the user's own below /tmp")
    func noRuntimeDirectory() async throws {
        let said = try await UnprivilegedWorld.run(
            """
            E="PATH=/usr/bin:/bin HOME=$H/home"
            say mount R mount $URL $H/mnt
            say place stat -c '%a %u' /tmp/reelfs-$U
            say status R status
            say unmount R unmount $H/mnt
            """)
        #expect(said["mount"]?.status == 0 && said["status"]?.status == 0 && said["unmount"]?.status == 0, "\(said)")
        #expect(said["place"]?.text == "700 65534", "\(said)")
    }

    @Test(
        "a home that cannot be written is named by mount, with cache and log at once, and by doctor",
        arguments: ["chown root $H/home; chmod 755 $H/home", "E=\"PATH=/usr/bin:/bin HOME=/nonexistent XDG_RUNTIME_DIR=$H/run\""])
    func homes(_ change: String) async throws {
        let said = try await UnprivilegedWorld.run("\(change)\nsay mount R mount $URL $H/mnt\nsay doctor R doctor --offline")
        let mount = try #require(said["mount"]), doctor = try #require(said["doctor"])
        #expect(
            mount.status == 1 && mount.text.contains("the cache ") && mount.text.contains("the log in ") && mount.text.contains("set HOME"), "\(said)"
        )
        #expect(mount.text.contains("Permission denied"), "\(said)")
        #expect(doctor.status == 1 && doctor.text.contains("FAULT  cache: ") && doctor.text.contains("FAULT  log: "), "\(said)")
    }

    @Test(
        "what is wrong with fusermount3 is said by mount and by doctor",
        arguments: [
            (": > $W/fake; chmod 644 $W/fake", "may not be run"), ("cp /usr/bin/fusermount3 $W/fake; chmod 755 $W/fake", "is not set-uid root"),
        ])
    func helpers(_ make: String, _ words: String) async throws {
        let said = try await UnprivilegedWorld.run(
            """
            \(make); mount --bind $W/fake /usr/bin/fusermount3
            say mount R mount $URL $H/mnt
            say doctor R doctor --offline
            """)
        #expect(said["mount"]?.status == 32 && said["mount"]?.text.contains(words) == true, "\(said)")
        #expect(said["doctor"]?.status == 1 && said["doctor"]?.text.contains(words) == true, "\(said)")
    }

    @Test(
        "a device node that is missing or closed is said by mount and by doctor",
        arguments: [
            ("mknod $W/dev/fuse c 10 229; chmod 600 $W/dev/fuse", ["may not be opened", "may not be opened"]),
            ("", ["is missing", "does not exist"]),
        ])
    func devices(_ make: String, _ words: [String]) async throws {
        let said = try await UnprivilegedWorld.run(
            """
            mkdir $W/dev; for n in null zero urandom random tty; do cp -a /dev/$n $W/dev/; done
            \(make)
            mount --bind $W/dev /dev
            say mount R mount $URL $H/mnt
            say doctor R doctor --offline
            """)
        #expect(said["mount"]?.status == 32 && said["mount"]?.text.contains("/dev/fuse \(words[0])") == true, "\(said)")
        #expect(said["doctor"]?.status == 1 && said["doctor"]?.text.contains("/dev/fuse \(words[1])") == true, "\(said)")
    }

    @Test("fusermount3's own reason is passed on, and a user whom the system does not know is told so")
    func unknownUsers() async throws {
        let said = try await UnprivilegedWorld.run("U=4321; fresh\nsay mount R mount $URL $H/mnt\nsay doctor R doctor --offline")
        #expect(said["mount"]?.status == 32 && said["mount"]?.text.contains("fusermount3: ") == true, "\(said)")
        #expect(said["mount"]?.text.contains("/etc/passwd") == true, "\(said)")
        #expect(said["doctor"]?.status == 1 && said["doctor"]?.text.contains("user 4321 is not in /etc/passwd") == true, "\(said)")
    }

    @Test("a mount point that belongs to another is refused with a reason")
    func mountPoints() async throws {
        let said = try await UnprivilegedWorld.run("chown root $H/mnt; chmod 755 $H/mnt\nsay mount R mount $URL $H/mnt")
        #expect(said["mount"]?.status == 32 && said["mount"]?.text.contains("you may write to") == true, "\(said)")
    }

    @Test("an unmount that the system refuses is an error, and the mount goes on until it succeeds")
    func refusedUnmounts() async throws {
        let said = try await UnprivilegedWorld.run(
            """
            say mount R mount $URL $H/mnt
            cp /usr/bin/fusermount3 $W/plain; chmod 755 $W/plain; mount --bind $W/plain /usr/bin/fusermount3
            say one R unmount $H/mnt
            say all R unmount --all
            say lazy R unmount -z $H/mnt
            say read as cmp $H/mnt/f.bin $SITE/f.bin
            say status R status
            umount /usr/bin/fusermount3
            say again R unmount $H/mnt
            say table grep -c " $H/" /proc/self/mountinfo
            """)
        #expect(said["mount"]?.status == 0)
        for name in ["one", "all", "lazy"] {
            #expect(said[name]?.status == 32 && said[name]?.text.contains("cannot be unmounted") == true, "\(said)")
            #expect(said[name]?.text.contains("set-uid") == true, "\(said)")
        }
        #expect(said["read"]?.status == 0 && said["status"]?.text.contains("/mnt") == true, "\(said)")
        #expect(said["again"]?.status == 0 && said["table"]?.text == "0", "\(said)")
    }

    @Test("a daemon that ends although its mount cannot be taken away ends nevertheless, and says what is left")
    func refusedAtTheEnd() async throws {
        let said = try await UnprivilegedWorld.run(
            """
            say mount R mount $URL $H/mnt
            cp /usr/bin/fusermount3 $W/plain; chmod 755 $W/plain; mount --bind $W/plain /usr/bin/fusermount3
            P=$(cut -d' ' -f1 $H/home/.cache/reelfs/lock); kill -TERM $P
            for _ in $(seq 100); do [ -d /proc/$P ] || break; sleep 0.1; done
            say daemons test -d /proc/$P
            say log sh -c 'cat $0/home/.local/state/reelfs/*.log' $H
            """)
        #expect(said["daemons"]?.status == 1, "\(said)")
        #expect(said["log"]?.text.contains("stays mounted") == true, "\(said)")
    }
}
