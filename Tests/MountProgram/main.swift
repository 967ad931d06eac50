import Diagnostics
import FuseAdapter
import Glibc
import MemoryTree

// mount-program DIRECTORY [OPTIONS]: mounts a small tree, says "mounted", and stays until its input ends; then unmounts.
// For tests that need a mount in another process: to kill it, or to run it as another user.
func fail(_ text: String) -> Never {
    let bytes = Array((text + "\n").utf8)
    _ = write(2, bytes, bytes.count)
    exit(1)
}

let words = CommandLine.arguments
guard words.count >= 2 else { fail("mount-program DIRECTORY [OPTIONS]") }
let tree = MemoryTree()
tree.add("hello", .bytes(Array("hello\n".utf8)))
tree.add("pattern", .pattern(size: 64 << 20))
do {
    let options = try MountOptions.parse(words.count > 2 ? words[2] : "")
    let mount = try FuseMount(tree: tree, mountPoint: words[1], options: options, log: .silent)
    try mount.start()
    let said = Array("mounted\n".utf8)
    _ = write(1, said, said.count)
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    try mount.unmount(lazy: true)
} catch {
    fail("\(error)")
}
