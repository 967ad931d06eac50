import Testing

@testable import FuseAdapter

@Suite("Arguments of mount.reelfs")
struct MountHelperArgumentsTests {
    @Test("what mount(8) calls becomes the command line's words")
    func ordinary() throws {
        let arguments = try MountHelperArguments.parse(["https://host/dav", "/mnt/dav", "-o", "rw,allow_other,_netdev"])
        #expect(arguments.commandLine == ["mount", "-o", "rw,allow_other,_netdev", "--", "https://host/dav", "/mnt/dav"])
        #expect(!arguments.isFake && !arguments.isVerbose)
    }

    @Test("flags stand anywhere, alone or together, their values attached or apart")
    func flags() throws {
        let arguments = try MountHelperArguments.parse(["-nv", "none", "-oro", "/m", "-t", "reelfs.webdav", "-o", "uid=1", "-f"])
        #expect(arguments.isFake && arguments.isVerbose)
        #expect(arguments.sourceType == "webdav")
        #expect(arguments.commandLine == ["mount", "--type", "webdav", "-o", "ro,uid=1", "--", "/m"])
        #expect(try MountHelperArguments.parse(["a", "b", "-t", "reelfs"]).sourceType == nil)
        #expect(try MountHelperArguments.parse(["a", "b", "-t", "fuse.reelfs.http"]).sourceType == "http")
        #expect(try MountHelperArguments.parse(["--", "-a", "-b"]).commandLine == ["mount", "--", "-a", "-b"])
    }

    @Test("sloppy: what is not known is left out")
    func sloppy() throws {
        let arguments = try MountHelperArguments.parse(["u", "d", "-s", "-o", "bogus,uid=5,fsname=a\\,b,more=1"])
        #expect(arguments.options == "uid=5,fsname=a\\,b")
    }

    @Test("several addresses are several sources")
    func several() throws {
        #expect(try MountHelperArguments.parse(["http://a/ http://b/", "d"]).commandLine == ["mount", "--", "http://a/", "http://b/", "d"])
    }

    @Test(
        "anything else is an error",
        arguments: [[], ["a"], ["a", "b", "c"], ["a", "b", "-o"], ["a", "b", "-x"], ["a", "b", "-N", "/proc/1/ns/mnt"]])
    func wrong(words: [String]) { #expect(throws: MountError.self) { try MountHelperArguments.parse(words) } }
}
