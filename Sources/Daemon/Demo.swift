internal import CLinux
package import CommandLineTool
internal import Configuration
internal import ControlProtocol
internal import DemoOrigin
internal import Diagnostics
internal import Glibc

/// `reelfs demo`: an origin inside this process, and (unless it only serves) a mount of it. Everything it makes is in one
/// temporary directory and goes with it.
package enum Demo {
    /// Blocks until a signal, or until the mount is gone. To be called on the main thread.
    package static func run(_ options: DemoOptions) -> Int32 {
        SignalWatcher.block()
        let log = Log(minimum: .warning, sink: LogSinks.standardError(environment: options.environment))
        guard let directory = makeDirectory(options.environment) else {
            log.write(.error, "demo", "cannot make a temporary directory: \(String(cString: strerror(errno)))")
            return 1
        }
        defer { reelfs_remove_tree(directory) }
        do {
            let root = options.tree ?? directory + "/tree"
            if options.tree == nil {
                mkdir(root, 0o755)
                try DemoTree.generate(at: root)
            }
            let server = try DemoServer(root: root, port: options.port, log: log)
            defer { server.stop() }
            say("serving \(root) at \(server.baseURL) (WebDAV and plain HTTP)\n")
            return options.servesOnly ? serve() : try mount(server, directory, options)
        } catch {
            log.write(.error, "demo", "\(error)")
            return 1
        }
    }

    private static func serve() -> Int32 {
        let end = EndSignal()
        SignalWatcher.start { if $0 == .stop { end.stop() } }
        while !end.wait(for: .seconds(3600)) {}
        return 0
    }

    private static func mount(_ server: DemoServer, _ directory: String, _ options: DemoOptions) throws(ControlError) -> Int32 {
        let mountPoint = options.mountPoint ?? directory + "/mount"
        mkdir(mountPoint, 0o755)
        for name in ["cache", "config"] { mkdir("\(directory)/\(name)", 0o700) }
        let sources = [(name: "drive", type: SourceType.webdav), (name: "links", type: .http)].compactMap { wanted in
            SourceName(wanted.name).map {
                InlineSource(ConfiguredSource(definition: SourceDefinition(name: $0, type: wanted.type, url: server.baseURL)))
            }
        }
        var daemon = DaemonOptions(
            cacheDirectory: directory + "/cache/reelfs", configurationDirectory: directory + "/config/reelfs", logLevel: .warning, style: .foreground,
            endsWhenIdle: true, environment: options.environment)
        daemon.mounts = [MountRequest(content: .inline(sources: sources), mountPoint: mountPoint)]
        say("try:  ls -lR '\(mountPoint)'\nCtrl-C unmounts and ends.\n")
        return Daemon.run(daemon)
    }

    private static func makeDirectory(_ environment: [String: String]) -> String? {
        let base = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(base)/reelfs-demo-XXXXXX".utf8CString)
        return template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, let made = mkdtemp(start) else { return nil }
            return String(cString: made)
        }
    }

    private static func say(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(1, bytes, bytes.count)
    }
}
