import Glibc
import TestSupport

@testable import FuseAdapter

/// The program that mounts a small tree in a process of its own, until its input ends.
enum MountProgram {
    /// It is built into the directory in which the tests are, or one above.
    static func path() throws -> String {
        var directory = (ProcFile.link("/proc/self/exe") ?? "")[...]
        while let slash = directory.lastIndex(of: "/"), slash > directory.startIndex {
            directory = directory[..<slash]
            if access("\(directory)/MountProgram", X_OK) == 0 { return "\(directory)/MountProgram" }
        }
        throw MountError(.missing, "MountProgram is not built beside the tests")
    }
}
