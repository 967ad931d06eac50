import Configuration
import ControlProtocol
import ControlSocket
import Diagnostics
import Glibc
import OriginReport
import Synchronization
import TestSupport

@testable import CommandLineTool

/// Runs command lines with directories of their own, and keeps what they print.
final class TestShell: Sendable {
    struct Result: Sendable {
        var code: Int32
        var out: String
        var error: String
    }

    let root: TemporaryDirectory
    let daemons = Mutex<[DaemonOptions]>([])
    let offline = Mutex<[ControlRequest]>([])

    init() throws { root = try TemporaryDirectory("shell") }

    var environment: [String: String] {
        [
            "HOME": root.path, "XDG_CONFIG_HOME": root.path + "/config", "XDG_CACHE_HOME": root.path + "/cache",
            "XDG_STATE_HOME": root.path + "/state",
            "XDG_RUNTIME_DIR": root.path, "PATH": "/usr/bin:/bin",
        ]
    }

    var location: SocketLocation {
        get throws {
            guard let first = SocketLocation.candidates(cacheDirectory: root.path + "/cache/reelfs", environment: environment).first else {
                throw TestSupportError("no location")
            }
            return first
        }
    }

    func run(_ words: [String], program: String = "reelfs", input: String? = nil, password: String? = nil, terminal: Bool = false) async -> Result {
        await Blocking.run { [self] in
            let printed = Mutex((out: "", error: ""))
            let console = Console(
                out: { text in printed.withLock { $0.out += text } }, error: { text in printed.withLock { $0.error += text } }, readInput: { input },
                askSecret: { _ in password.map(Secret.init) }, isOutputTerminal: terminal, isErrorTerminal: terminal, columns: { 80 })
            let hooks = CommandLineHooks(
                runDaemon: { [self] options in
                    daemons.withLock { $0.append(options) }
                    return 7
                },
                runDemo: { Int32($0.port) },
                offline: { [self] _, request, _ throws(ControlError) in
                    offline.withLock { $0.append(request) }
                    switch request {
                    case .check(let sources): return .checks(findings: sources.map { Finding(.fault, "source \($0.text)", "down") })
                    case .cacheClear: return .freed(bytes: 1, objects: 1, keptInUse: 0)
                    case .forget: return .freed(bytes: 2048, objects: 1, keptInUse: 0)
                    default: throw ControlError(.notFound, "nothing here")
                    }
                },
                selfTest: { source, say in
                    say("asking")
                    var report = OriginReport(address: source.publicURL, type: source.definition.type?.rawValue)
                    report.findings = [.ok(.ranges, "middle", "206"), .note(.listing, "hrefs", "odd\u{7}", effect: "compares paths")]
                    if source.name.text == "broken" { report.findings.append(.bad(.reading, "read", "nothing", effect: "gives errors", .prevents)) }
                    return report
                }, libraries: { [("libtest", "1.2")] })
            let code = CommandLineTool.run(
                arguments: [program] + words, environment: environment, hooks: hooks, console: console, workingDirectory: root.path)
            let (out, error) = printed.withLock { $0 }
            return Result(code: code, out: out, error: error)
        }
    }

    /// Runs `body` while a daemon of the test answers.
    func withDaemon(_ handler: @escaping ControlServer.Handler, _ body: () async throws -> Void) async throws {
        let server = try ControlServer(location: try location, log: .silent, handler: handler)
        do { try await body() } catch {
            await Blocking.run { server.stop() }
            throw error
        }
        await Blocking.run { server.stop() }
    }
}
