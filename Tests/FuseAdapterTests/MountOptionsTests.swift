import Testing

@testable import FuseAdapter

@Suite("Mount options")
struct MountOptionsTests {
    @Test("what a mount understands is read")
    func known() throws {
        let options = try MountOptions.parse("allow_other,uid=1000,gid=100,umask=077,ro,noexec,default_permissions", "fsname=films\\, more")
        #expect(options.allowOther && options.noExec && options.defaultPermissions)
        #expect(options.uid == 1000)
        #expect(options.gid == 100)
        #expect(options.umask == 0o077)
        #expect(options.fsName == "films, more")
    }

    @Test("words of fstab, mount(8) and systemd are taken without effect")
    func ignored() throws {
        let text =
            "rw,_netdev,nofail,noauto,user,users,defaults,exec,nosuid,nodev,noatime,x-systemd.automount,x-gvfs-show,X-mount.mkdir=0755,comment=x,,max_read=4096"
        #expect(try MountOptions.parse(text) == MountOptions())
        #expect(try MountOptions.parse("") == MountOptions())
    }

    @Test(
        "what is not known, or makes no sense, is an error that names it",
        arguments: [
            "allow_othre", "uid", "uid=", "uid=alice", "uid=-1", "uid=+1", "uid=4294967296", "gid=1e3", "umask=888", "umask=01000", "fsname=", "suid",
            "dev", "subtype=x", "ro=1", "cache=1",
        ])
    func unknown(word: String) throws {
        let error = try #require(throws: MountError.self) { try MountOptions.parse("ro,\(word),nodev") }
        #expect(error.code == .badOption)
        #expect(error.detail.contains(word.prefix { $0 != "=" }))
    }

    @Test("the last word wins")
    func order() throws {
        #expect(try MountOptions.parse("uid=1,uid=2", "uid=3").uid == 3)
        #expect(try !MountOptions.parse("noexec,exec").noExec)
    }

    @Test("libfuse gets read-only, nosuid, nodev and the subtype whatever was asked, and commas escaped")
    func forLibrary() throws {
        var options = try MountOptions.parse("rw")
        options.fsName = "https://host/a,allow_other\\b\u{7}"
        #expect(options.libfuseText(maximumRead: 4096) == "ro,nosuid,nodev,subtype=reelfs,fsname=https://host/a\\,allow_other\\\\b?,max_read=4096")
        #expect(MountOptions.words("fsname=" + MountOptions.escaped(options.fsName)) == ["fsname=https://host/a,allow_other\\b?"])
    }

    @Test("permissions are checked by the kernel as soon as others may look in or modes were asked for")
    func permissions() throws {
        #expect(!MountOptions().checksPermissions)
        for word in ["allow_other", "uid=1", "gid=1", "umask=0", "default_permissions"] {
            #expect(try MountOptions.parse(word).libfuseText(maximumRead: 1).contains("default_permissions"), "\(word)")
        }
    }
}
