import Bytes
import SourceAPI
import TestSupport
import VirtualTree

/// A `VirtualTree` without a mount, asked as the kernel asks: a look-up for each name, forgotten afterwards.
struct MemoryTreeUnderTest: TreeUnderTest {
    let tree: VirtualTree

    func list(_ path: String) async throws -> [String] {
        try await at(path) { attributes in
            try await fault { try await tree.directory(attributes.number).names }
        }
    }

    func facts(_ path: String) async throws -> TreeFacts {
        try await at(path) { attributes in
            let modified = attributes.isDirectory ? 0 : attributes.modified?.seconds ?? 0
            return TreeFacts(isDirectory: attributes.isDirectory, size: attributes.size, modified: modified)
        }
    }

    func open(_ path: String) async throws -> MemoryFileUnderTest {
        try await at(path) { attributes in MemoryFileUnderTest(file: try await fault { try await tree.file(attributes.number) }) }
    }

    private func at<Value>(_ path: String, _ body: (Attributes) async throws -> Value) async throws -> Value {
        var current = try await fault { try await tree.stat(1) }
        var counted: [UInt64] = []
        defer { for number in counted { tree.forget(number, count: 1) } }
        for name in path.split(separator: "/") {
            current = try await fault { try await tree.find(current.number, Array(name.utf8)) }
            counted.append(current.number)
        }
        return try await body(current)
    }

    private func fault<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as TreeError {
            switch error.code {
            case .notFound: throw TreeFault.notFound
            case .notDirectory: throw TreeFault.notDirectory
            case .isDirectory: throw TreeFault.isDirectory
            case .nameTooLong: throw TreeFault.nameTooLong
            default: throw TreeFault.other("\(error.code) \(error)")
            }
        }
    }
}

struct MemoryFileUnderTest: FileUnderTest {
    let file: OpenFile

    func read(at offset: UInt64, count: Int) async throws -> [UInt8] {
        do { return try await file.bytes(at: offset, count: count) } catch { throw TreeFault.other("\(error)") }
    }

    func close() async { file.close() }
}
