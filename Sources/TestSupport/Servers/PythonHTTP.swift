/// `python3 -m http.server`: an index without sizes or times, files without ranges.
package enum PythonHTTP {
    package static var missing: String? { TestTools.has("python3") ? nil : "python3 is not installed" }

    package static func start(_ root: String) async throws -> RealServer {
        let work = try TemporaryDirectory("python")
        let process = try await ServerProcess.start("http.server") { port in
            ["python3", "-u", "-m", "http.server", "\(port)", "--bind", "127.0.0.1", "--directory", root]
        }
        return RealServer("http.server", process, work, isSecure: false)
    }
}
