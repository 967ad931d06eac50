import Configuration
import ControlProtocol
import Diagnostics
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ControlSocket

@Suite("The control socket", .serialized)
struct ControlSocketTests {
    @Test("a request is answered, after its events in order")
    func answer() async throws {
        try await withDirectory { directory in
            let location = SocketLocation(directory: directory + "/run", name: "a.sock")
            let server = try ControlServer(location: location, log: .silent) { request, sink throws(ControlError) in
                guard case .refresh(let path) = request else { throw ControlError(.notSupported, "not this") }
                for number in 0..<3 { sink.send(.note(text: "\(path?.given ?? "") \(number)")) }
                return .refreshed(directories: .max, failures: [])
            }
            defer { server.stop() }
            let client = try ControlClient(connectingTo: [location])
            for _ in 0..<2 {
                var notes: [ControlEvent] = []
                let answer = try client.send(.refresh(path: PathReference(given: "电影", absolute: "/电影"))) { notes.append($0) }
                #expect(answer == .refreshed(directories: .max, failures: []))
                #expect(notes == [.note(text: "电影 0"), .note(text: "电影 1"), .note(text: "电影 2")])
            }
            #expect(throws: ControlError(.notSupported, "not this")) { try client.send(.stop) }
        }
    }

    @Test("where nobody listens, or only a stale file is left, the client says that nothing runs; a server takes the place")
    func stale() async throws {
        try await withDirectory { directory in
            let location = SocketLocation(directory: directory + "/run", name: "a.sock")
            #expect(throws: ControlError.self) { try ControlClient(connectingTo: [location]) }
            mkdir(location.directory, 0o700)
            let socket = SocketAddress.makeSocket()
            #expect(SocketAddress.with(location.path) { bind(socket, $0, $1) } == 0)
            close(socket)
            do throws(ControlError) {
                _ = try ControlClient(connectingTo: [location])
                Issue.record("connected to nobody")
            } catch { #expect(error.code == .notRunning) }
            let server = try ControlServer(location: location, log: .silent) { _, _ in .done }
            defer { server.stop() }
            #expect(try ControlClient(connectingTo: [location]).send(.hello) == .done)
            #expect(mode(location.path) == 0o600)
            do throws(ControlError) {
                _ = try ControlServer(location: location, log: .silent) { _, _ in .done }
                Issue.record("two servers on one socket")
            } catch { #expect(error.code == .busy) }
            #expect(try ControlClient(connectingTo: [location]).send(.hello) == .done)
        }
    }

    @Test("a directory that others may enter, that is another user's or a symbolic link is refused by both ends")
    func unsafeDirectories() async throws {
        try await withDirectory { directory in
            mkdir(directory + "/open", 0o755)
            chmod(directory + "/open", 0o755)
            mkdir(directory + "/real", 0o700)
            symlink(directory + "/real", directory + "/link")
            mkdir(directory + "/other", 0o700)
            var names = ["open", "link"]
            if geteuid() == 0 {
                chown(directory + "/other", 12345, 12345)
                names.append("other")
            }
            for name in names {
                let location = SocketLocation(directory: "\(directory)/\(name)", name: "a.sock")
                do throws(ControlError) {
                    _ = try ControlServer(location: location, log: .silent) { _, _ in .done }
                    Issue.record("listened in \(name)")
                } catch { #expect(error.code == .unsafe) }
                do throws(ControlError) {
                    _ = try ControlClient(connectingTo: [location])
                    Issue.record("connected in \(name)")
                } catch { #expect(error.code == .unsafe) }
            }
        }
    }

    @Test("a path longer than an address of a socket works")
    func longPath() async throws {
        try await withDirectory { directory in
            var long = directory
            for _ in 0..<3 {
                long += "/" + String(repeating: "x", count: 60)
                mkdir(long, 0o700)
            }
            let location = SocketLocation(directory: long, name: "a.sock")
            let server = try ControlServer(location: location, log: .silent) { _, _ in .done }
            #expect(try ControlClient(connectingTo: [location]).send(.hello) == .done)
            server.stop()
            #expect(access(location.path, F_OK) != 0)
        }
    }

    @Test("what is no request is answered with an error, and others go on")
    func malformed() async throws {
        try await withDirectory { directory in
            let location = SocketLocation(directory: directory + "/run", name: "a.sock")
            let server = try ControlServer(location: location, log: .silent) { _, _ in .done }
            defer { server.stop() }
            var random = RepeatableRandom.forTest()
            let seed = random.seed
            var lines: [[UInt8]] = [Array("{}".utf8), Array("\u{0}".utf8), Array("{\"version\":99,\"request\":{\"hello\":{}}}".utf8), []]
            let good = try ControlMessage.encode(.status(everyMilliseconds: nil)).dropLast()
            for _ in 0..<50 {
                var bytes = Array(good)
                for _ in 0..<3 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
                lines.append(bytes.filter { $0 != 10 })
            }
            for line in lines {
                let socket = SocketAddress.makeSocket()
                defer { close(socket) }
                #expect(SocketAddress.with(location.path) { connect(socket, $0, $1) } == 0, "seed \(seed)")
                #expect(SocketStream.sendAll(line + [10], to: socket, patience: 5000))
                var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                #expect(poll(&waiting, 1, 10_000) == 1, "no answer, seed \(seed)")
                var reply = [UInt8](repeating: 0, count: 4096)
                let count = recv(socket, &reply, reply.count, 0)
                #expect(count > 0, "no answer, seed \(seed)")
                _ = try ControlMessage.decodeReply(Array(reply[..<max(count - 1, 0)]))
            }
            #expect(try ControlClient(connectingTo: [location]).send(.hello) == .done)
        }
    }

    @Test("a line that never ends is cut off at 16 MiB")
    func endless() async throws {
        try await withDirectory { directory in
            let location = SocketLocation(directory: directory + "/run", name: "a.sock")
            let server = try ControlServer(location: location, log: .silent) { _, _ in .done }
            defer { server.stop() }
            let socket = SocketAddress.makeSocket()
            defer { close(socket) }
            #expect(SocketAddress.with(location.path) { connect(socket, $0, $1) } == 0)
            let chunk = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
            var sent = 0
            while sent < 64, SocketStream.sendAll(chunk, to: socket, patience: 5000) { sent += 1 }
            #expect(sent < 64)
            #expect(try ControlClient(connectingTo: [location]).send(.hello) == .done)
        }
    }

    @Test("clients that connect and say nothing, or half a request, keep nobody out")
    func idle() async throws {
        try await withDirectory { directory in
            let location = SocketLocation(directory: directory + "/run", name: "a.sock")
            let server = try ControlServer(location: location, log: .silent) { _, _ in .done }
            defer { server.stop() }
            var idle: [Int32] = []
            defer { for socket in idle { close(socket) } }
            for number in 0..<100 {
                let socket = SocketAddress.makeSocket()
                guard SocketAddress.with(location.path, { connect(socket, $0, $1) }) == 0 else {
                    close(socket)
                    break
                }
                if number % 2 == 0 { _ = Glibc.send(socket, "{", 1, Int32(MSG_NOSIGNAL)) }
                idle.append(socket)
            }
            #expect(idle.count > 64)
            #expect(try ControlClient(connectingTo: [location]).send(.hello, silence: .seconds(25)) == .done)
        }
    }

    @Test("a daemon that does not answer is given up within the deadline")
    func silence() async throws {
        try await withDirectory { directory in
            let location = SocketLocation(directory: directory + "/run", name: "a.sock")
            let server = try ControlServer(location: location, log: .silent) { _, _ in
                try? await Task.sleep(for: .seconds(60))
                return .done
            }
            let start = ContinuousClock.now
            let client = try ControlClient(connectingTo: [location])
            do throws(ControlError) {
                try client.send(.hello, silence: .milliseconds(300))
                Issue.record("answered")
            } catch { #expect(error.code == .timedOut) }
            #expect(ContinuousClock.now - start < .milliseconds(1500))
            server.stop(grace: .seconds(2))
            #expect(ContinuousClock.now - start < .seconds(10))
        }
    }

    @Test("a client that goes away cancels its request")
    func cancellation() async throws {
        let wasCancelled = Mutex(false)
        let directory = try TemporaryDirectory("control")
        let location = SocketLocation(directory: directory.path + "/run", name: "a.sock")
        let server = try ControlServer(location: location, log: .silent) { _, sink throws(ControlError) in
            do {
                while true {
                    sink.send(.note(text: "tick"))
                    try await Task.sleep(for: .milliseconds(5))
                }
            } catch {
                wasCancelled.withLock { $0 = true }
                throw ControlError(.cancelled, "cancelled")
            }
        }
        defer { server.stop() }
        do {
            let socket = SocketAddress.makeSocket()
            #expect(SocketAddress.with(location.path) { connect(socket, $0, $1) } == 0)
            #expect(SocketStream.sendAll(try ControlMessage.encode(.status(everyMilliseconds: 5)), to: socket, patience: 1000))
            try await Task.sleep(for: .milliseconds(100))
            close(socket)
        }
        for _ in 0..<500 where !wasCancelled.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(wasCancelled.withLock { $0 })
    }

    @Test("the name of the socket follows the cache directory, however its path is written")
    func names() async throws {
        try await withDirectory { directory in
            mkdir(directory + "/cache", 0o700)
            symlink(directory + "/cache", directory + "/other")
            let name = SocketLocation.socketName(cacheDirectory: directory + "/cache")
            #expect(name == SocketLocation.socketName(cacheDirectory: directory + "/other"))
            #expect(name == SocketLocation.socketName(cacheDirectory: directory + "//cache/"))
            #expect(name != SocketLocation.socketName(cacheDirectory: directory + "/cache2"))
            #expect(
                SocketLocation.socketName(cacheDirectory: directory + "/other/a/b")
                    == SocketLocation.socketName(cacheDirectory: directory + "/cache/a/b/"))
        }
    }

    @Test("the runtime directory is used when it is ours, else a directory below /tmp")
    func candidates() async throws {
        try await withDirectory { directory in
            let ours = SocketLocation.candidates(cacheDirectory: "/c", environment: ["XDG_RUNTIME_DIR": directory])
            #expect(ours.first?.directory == directory + "/reelfs")
            #expect(ours.last?.directory == "/tmp/reelfs-\(geteuid())")
            let none = SocketLocation.candidates(cacheDirectory: "/c", environment: ["XDG_RUNTIME_DIR": directory + "/missing"])
            #expect(!none.contains { $0.directory.hasPrefix(directory) })
            let others = SocketLocation.candidates(cacheDirectory: "/c", environment: ["XDG_RUNTIME_DIR": directory], user: 54321)
            #expect(others.map(\.directory) == ["/tmp/reelfs-54321"])
        }
    }
}
