import CLinux
import Glibc
import MemoryTree
import SourceAPI
import TestSupport
import Testing
import VirtualTree

@testable import FuseAdapter

extension MountedSuites {
    @Suite("A mount")
    struct MountTests {
        @Test("every reading operation works on libfuse's threads")
        func eachOperation() async throws {
            let tree = MemoryTree()
            let inner = tree.addDirectory("dir")
            tree.add("hello", .bytes(Array("hello\n".utf8)), attributes: [("user.reelfs.source", Array("films".utf8)), ("user.reelfs.state", [])])
            tree.add("late", .late(size: 100_000, after: .milliseconds(20)), to: inner)
            tree.add("unlisted", .unlisted(Array("unlisted".utf8)), to: inner)
            try await withMount(tree) { mount in
                let path = mount.path
                #expect(try await Command(["ls", path]).check().lines == ["dir", "hello"])
                let listed = try await Command(["ls", "-ln", "\(path)/dir"]).check()
                #expect(listed.output.contains(" 100000 ") && listed.output.contains(" 8 "), "\(listed)")
                #expect(try await Command(["cat", "\(path)/hello"]).check().output == "hello\n")
                let late = try await Command(["cat", "\(path)/dir/late"]).check()
                #expect(late.outputBytes == (0..<100_000).map { MemoryTree.byte(at: $0) })
                #expect(try await Command(["cat", "\(path)/dir/unlisted"]).check().output == "unlisted")
                let shown = try await Command(["stat", "-c", "%a %s %h %Y %F", "\(path)/hello"]).check()
                #expect(shown.output == "644 6 1 1600000000 regular file\n")
                #expect(try await Command(["stat", "-c", "%a %i", path]).check().output == "755 1\n")
                #expect(try await Command(["stat", "-f", "-c", "%b %S", path]).check().output == "\((1 << 40) / 4096) 4096\n")
                #expect(try await Command(["find", path, "-type", "f"]).check().lines.count == 3)
                #expect(await offPool { failure { Int(access("\(path)/none", F_OK)) } } == ENOENT)
            }
            #expect(tree.openFiles == 0)
            #expect(!tree.hasObserver)
        }

        @Test("extended attributes, and access(2)")
        func attributes() async throws {
            let tree = MemoryTree()
            tree.addDirectory("dir")
            tree.add("hello", .bytes([1]), attributes: [("user.reelfs.source", Array("films".utf8)), ("user.reelfs.state", [])])
            try await withMount(tree) { mount in
                let path = mount.path
                let shown = try await Command(["getfattr", "-d", "--absolute-names", "\(path)/hello"]).check()
                #expect(shown.output.contains("user.reelfs.source=\"films\""))
                let results = await offPool { () -> [CInt] in
                    var byte: UInt8 = 0
                    return [
                        failure { getxattr("\(path)/hello", "user.none", nil, 0) },
                        failure { getxattr("\(path)/hello", "security.capability", nil, 0) },
                        failure { getxattr("\(path)/hello", "user.reelfs.source", &byte, 1) },
                        CInt(getxattr("\(path)/hello", "user.reelfs.source", nil, 0)),
                        CInt(getxattr("\(path)/hello", "user.reelfs.state", nil, 0)),
                        CInt(listxattr("\(path)/hello", nil, 0)),
                        failure { Int(access("\(path)/hello", R_OK)) },
                        failure { Int(access("\(path)/hello", W_OK)) },
                        failure { Int(access("\(path)/hello", X_OK)) },
                        failure { Int(access("\(path)/dir", R_OK | X_OK)) },
                    ]
                }
                #expect(results == [ENODATA, ENODATA, ERANGE, 5, 0, 37, 0, EROFS, EACCES, 0])
            }
        }

        @Test("it shows in the table as read-only, nosuid, nodev, of type fuse.reelfs, and is gone afterwards")
        func table() async throws {
            let mount = try await TestMount(MemoryTree(), options: "fsname=https://host/a\\,b c")
            let entry = MountTable.mount(at: mount.path)
            #expect(entry?.isReelfs == true)
            #expect(entry?.source == "https://host/a,b c")
            #expect(entry.map { Set($0.options.split(separator: ",")).isSuperset(of: ["ro", "nosuid", "nodev"]) } == true)
            if TestTools.isRoot, let entry {
                #expect(ProcFile.read("/sys/class/bdi/\(entry.device)/read_ahead_kb") == "1024\n")
            }
            #expect(mount.mount.isMounted)
            try await mount.end()
            #expect(MountTable.mount(at: mount.path) == nil)
            #expect(!mount.mount.isMounted)
            try await mount.end()  // once more: without effect
        }

        @Test("10,000 entries are listed whole, plainly and with attributes")
        func manyEntries() async throws {
            let tree = MemoryTree()
            for index in 0..<10_000 { tree.add("a rather long name of a file, number \(index)", .pattern(size: UInt64(index))) }
            try await withMount(tree) { mount in
                let listed = try await Command(["ls", "-f", mount.path]).check()
                #expect(Set(listed.lines).count == 10_002)
                let long = try await Command(["ls", "-ln", mount.path]).check()
                #expect(long.lines.count == 10_001)
                #expect(long.seconds < 25)
            }
            #expect(tree.overForgotten == 0)
        }

        @Test("positions in a directory stay what they are while it is open")
        func positions() async throws {
            let tree = MemoryTree()
            for index in 0..<500 { tree.add("file \(index)", .bytes([])) }
            try await withMount(tree) { mount in
                let path = mount.path
                #expect(await offPool { Self.seeksAgree(path) } == 502)
            }
        }

        /// How many entries were read, if each was found again at its position.
        private static func seeksAgree(_ path: String) -> Int? {
            guard let stream = opendir(path) else { return nil }
            defer { closedir(stream) }
            func next() -> String? {
                guard let entry = readdir(stream) else { return nil }
                return withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
            }
            var places: [(place: Int, name: String)] = []
            var place = telldir(stream)
            while let name = next() {
                places.append((place, name))
                place = telldir(stream)
            }
            for index in [501, 3, 250, 0, 499] where places.indices.contains(index) {
                seekdir(stream, places[index].place)
                guard next() == places[index].name else { return nil }
            }
            return places.count
        }

        @Test("look-ups are all forgotten when the kernel drops its caches", .enabled(if: TestTools.isRoot, "needs root"))
        func forgets() async throws {
            let tree = MemoryTree()
            for directory in 0..<20 {
                let parent = tree.addDirectory("dir \(directory)")
                for index in 0..<100 { tree.add("file \(index)", index % 10 == 0 ? .unlisted([1]) : .bytes([1, 2]), to: parent) }
            }
            try await withMount(tree) { mount in
                for command in [["ls", "-lR"], ["find"], ["du"]] { try await Command(command + [mount.path]).check() }
                #expect(tree.lookups >= 2020)
                let isForgotten = try await eventually(.seconds(30)) {
                    try await Command(["sh", "-c", "sync; echo 2 > /proc/sys/vm/drop_caches"]).check()
                    return tree.lookups == 0
                }
                #expect(isForgotten, "\(tree.lookups) look-ups left")
                #expect(tree.overForgotten == 0)
            }
        }

        @Test("writing is answered with EROFS by the kernel, and by us when somebody remounts it for writing", arguments: [false, true])
        func readOnly(isRemounted: Bool) async throws {
            guard !isRemounted || TestTools.isRoot else { return }
            let tree = MemoryTree()
            tree.add("file", .bytes([1]))
            tree.addDirectory("dir")
            try await withMount(tree) { mount in
                let path = mount.path
                if isRemounted { try await Command(["mount", "-i", "-o", "remount,rw", path]).check() }
                let errors = await offPool { WriteAttempts.errors(at: path) }
                #expect(errors.filter { $0.value != EROFS } == [:])
            }
        }

        @Test("odd names of mount points", arguments: ["with spaces ", "影片 🎬", "back\\slash\\040", "tab\tand\nline", "a,b=c", "-o", "#1"])
        func oddNames(name: String) async throws {
            let tree = MemoryTree()
            tree.add("hello", .bytes(Array("hello".utf8)))
            let mount = try await TestMount(tree, name: name)
            #expect(MountTable.mount(at: mount.path)?.mountPoint == mount.path)
            #expect(try await Command(["cat", "\(mount.path)/hello"]).check().output == "hello")
            try await mount.end()
            #expect(MountTable.mount(at: mount.path) == nil)
        }

        @Test("owner and mode are those of the options")
        func options() async throws {
            let tree = MemoryTree()
            tree.add("file", .bytes([1]))
            try await withMount(tree, options: "uid=1234,gid=567,umask=027") { mount in
                let shown = try await Command(["stat", "-c", "%u %g %a", mount.path, "\(mount.path)/file"]).run()
                if TestTools.isRoot { #expect(shown.lines == ["1234 567 750", "1234 567 640"]) }
            }
        }

        @Test("failures reach the program and the log, once")
        func failures() async throws {
            let tree = MemoryTree()
            tree.add("gone", .failing(.changedUpstream))
            tree.add("shut", .failing(.unreachable))
            try await withMount(tree) { mount in
                let path = mount.path
                let errors = await offPool { () -> [CInt] in
                    ["gone", "shut", "shut", "shut"].map { name in
                        let descriptor = open("\(path)/\(name)", O_RDONLY)
                        defer { close(descriptor) }
                        var byte: UInt8 = 0
                        return failure { read(descriptor, &byte, 1) }
                    }
                }
                #expect(errors == [ESTALE, EIO, EIO, EIO])
                #expect(mount.log.count { $0.contains("read failed") } == 2, "\(mount.log)")
                tree.failListings(.timedOut)
                let listed = try await Command(["ls", path]).run()
                #expect(listed.status != 0 && listed.errors.contains("Input/output error"), "\(listed)")
                #expect(mount.log.contains { $0.contains("list failed: PROPFIND https://host/: no answer: look later") }, "\(mount.log)")
            }
        }

        @Test("a name that changed upstream shows the new file at once")
        func invalidation() async throws {
            let tree = MemoryTree(validFor: .seconds(3600))
            tree.add("file", .bytes(Array("old".utf8)))
            try await withMount(tree) { mount in
                let file = "\(mount.path)/file"
                let old = try await Command(["cat", file]).check()
                #expect(old.output == "old")
                tree.replace("file", .bytes(Array("new and longer".utf8)))
                #expect(try await eventually { try await Command(["cat", file]).check().output == "new and longer" })
                #expect(try await Command(["stat", "-c", "%s", file]).check().output == "14\n")
            }
        }
    }
}
