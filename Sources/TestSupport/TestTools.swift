private import Glibc

/// Where the programs that tests use are.
package enum TestTools {
    /// This process's environment.
    package static var environment: [String: String] {
        var result: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") { result[String(text[..<equals])] = String(text[text.index(after: equals)...]) }
            next += 1
        }
        return result
    }

    /// The program's path: `PATH`, then the administrators' directories, where servers live and users' `PATH` does not look.
    package static func find(_ program: String) -> String? {
        let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        let directories = path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/sbin"]
        return directories.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }

    package static func has(_ program: String) -> Bool { find(program) != nil }

    /// The WsgiDAV that `Scripts/setup` put into a virtual environment; `REELFS_TEST_TOOLS` names the directory.
    package static var wsgidav: String? {
        let named = environment["REELFS_TEST_TOOLS"].map { "\($0)/venv/bin/wsgidav" }
        return [named, find("wsgidav")].compactMap { $0 }.first { access($0, X_OK) == 0 }
    }

    package static var isRoot: Bool { geteuid() == 0 }

    /// `Scripts/test --long` asks for the slow tests.
    package static var isLongRun: Bool { environment["REELFS_LONG"] == "1" }
}
