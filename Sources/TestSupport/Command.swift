private import Glibc

/// A program run to its end with a deadline, its output kept.
package struct Command: Sendable {
    package var arguments: [String]
    /// `nil`: this process's environment.
    package var environment: [String: String]?
    package var directory: String?
    package var input: [UInt8]
    /// Seconds; then the whole process group is ended and the result says so.
    package var deadline: Double

    package init(
        _ arguments: [String], environment: [String: String]? = nil, directory: String? = nil, input: [UInt8] = [], deadline: Double = 60
    ) {
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.input = input
        self.deadline = deadline
    }

    package struct Result: Sendable, CustomStringConvertible {
        package var command: String
        /// The exit code, 128 + signal when killed, `nil` when the deadline ended it.
        package var status: CInt?
        package var outputBytes: [UInt8]
        package var errorBytes: [UInt8]
        package var seconds: Double

        package var output: String { String(decoding: outputBytes, as: UTF8.self) }
        package var errors: String { String(decoding: errorBytes, as: UTF8.self) }
        package var lines: [String] { output.split(separator: "\n").map(String.init) }
        package var succeeded: Bool { status == 0 }

        package var description: String {
            "\(command) → \(status.map(String.init) ?? "past its deadline") after \(seconds) s\n\(output.prefix(4000))\n\(errors.prefix(4000))"
        }
    }

    package func run() async throws -> Result { try await Blocking.run { try self.runBlocking() } }

    /// Like `run`, and throws with the output unless the program ended with 0.
    @discardableResult
    package func check() async throws -> Result {
        let result = try await run()
        guard result.succeeded else { throw TestSupportError(result.description) }
        return result
    }

    package func runBlocking() throws -> Result {
        let standardInput = try ScratchFile(input), output = try ScratchFile(), errors = try ScratchFile()
        let start = Spawn.now()
        let pid = try Spawn.start(
            arguments, environment: environment, directory: directory, input: standardInput.descriptor, output: output.descriptor,
            errors: errors.descriptor)
        let status = Spawn.wait(pid, seconds: deadline)
        if status == nil { Spawn.stop(pid, patience: 2) }
        return Result(
            command: arguments.joined(separator: " "), status: status, outputBytes: output.bytes(), errorBytes: errors.bytes(),
            seconds: Spawn.now() - start)
    }
}

/// A file without a name, for what goes into a child and what comes out of it: no pipe can fill up.
final class ScratchFile: Sendable {
    let descriptor: CInt

    init(_ contents: [UInt8] = []) throws {
        var template = Array("/tmp/reelfs-scratch-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw TestSupportError("mkstemp: \(errorText())") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        var done = 0
        while done < contents.count {
            let count = contents[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw TestSupportError("write: \(errorText())") }
            done += count
        }
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit { close(descriptor) }

    /// What was written so far.
    func bytes() -> [UInt8] {
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_size > 0 else { return [] }
        var result = [UInt8](repeating: 0, count: Int(info.st_size))
        let count = result.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return count < 0 ? [] : Array(result.prefix(count))
    }
}
