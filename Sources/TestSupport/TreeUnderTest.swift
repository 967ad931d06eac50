/// A tree of files as programs see it: in memory, or through a mount. Paths are names joined by `/`, without a leading one; the root is "".
///
/// Every call throws `TreeFault` where a program would see an error number.
package protocol TreeUnderTest: Sendable {
    associatedtype File: FileUnderTest

    /// The names in a directory, in any order, without `.` and `..`.
    func list(_ path: String) async throws -> [String]
    func facts(_ path: String) async throws -> TreeFacts
    func open(_ path: String) async throws -> File
}

package protocol FileUnderTest: Sendable {
    /// As `pread(2)`: fewer bytes than asked at the end of the file only.
    func read(at offset: UInt64, count: Int) async throws -> [UInt8]
    func close() async
}

package struct TreeFacts: Hashable, Sendable {
    package var isDirectory: Bool
    /// Of a file; 0 for a directory.
    package var size: UInt64
    /// Of a file; 0 for a directory.
    package var modified: Int64

    package init(isDirectory: Bool, size: UInt64, modified: Int64) {
        self.isDirectory = isDirectory
        self.size = size
        self.modified = modified
    }
}

package enum TreeFault: Error, Hashable, Sendable {
    /// ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG.
    case notFound, notDirectory, isDirectory, nameTooLong
    case other(String)
}

/// The tree that is right by being obvious.
package struct ReferenceTree: Sendable {
    package struct File: Sendable {
        package var bytes: [UInt8]
        package var modified: Int64
    }

    /// By path.
    package private(set) var files: [String: File] = [:]
    package private(set) var directories: [String: Set<String>] = ["": []]

    package init() {}

    /// Adds a file, and the directories on its way.
    package mutating func add(_ path: String, _ bytes: [UInt8], modified: Int64) {
        link(path)
        files[path] = File(bytes: bytes, modified: modified)
    }

    package mutating func addDirectory(_ path: String) {
        guard !path.isEmpty else { return }
        link(path)
        if directories[path] == nil { directories[path] = [] }
    }

    private mutating func link(_ path: String) {
        let (parent, name) = Self.split(path)
        addDirectory(parent)
        directories[parent]?.insert(name)
    }

    private static func split(_ path: String) -> (parent: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    package func facts(_ path: String) throws(TreeFault) -> TreeFacts {
        if let file = files[path] { return TreeFacts(isDirectory: false, size: UInt64(file.bytes.count), modified: file.modified) }
        if directories[path] != nil { return TreeFacts(isDirectory: true, size: 0, modified: 0) }
        // As path_resolution(7): a file on the way is not a directory, else the name is absent.
        var prefix = path
        while let slash = prefix.lastIndex(of: "/") {
            prefix = String(prefix[..<slash])
            if files[prefix] != nil { throw .notDirectory }
            if directories[prefix] != nil { break }
        }
        if Self.split(path).name.utf8.count > 255 { throw .nameTooLong }
        throw .notFound
    }

    package func list(_ path: String) throws(TreeFault) -> Set<String> {
        guard try facts(path).isDirectory else { throw .notDirectory }
        return directories[path] ?? []
    }

    package func read(_ path: String, at offset: UInt64, count: Int) -> [UInt8] {
        guard let bytes = files[path]?.bytes, offset < UInt64(bytes.count) else { return [] }
        let start = Int(offset)
        return Array(bytes[start..<min(bytes.count, start + count)])
    }
}

/// Random operations on a tree, each compared with the reference.
package struct TreeExercise<Tree: TreeUnderTest>: Sendable {
    package let tree: Tree
    package let reference: ReferenceTree
    /// Sorted, so that one seed means one sequence.
    private let paths: [String]
    private let filePaths: [String]

    package init(tree: Tree, reference: ReferenceTree) {
        self.tree = tree
        self.reference = reference
        filePaths = reference.files.keys.sorted()
        paths = (filePaths + reference.directories.keys).sorted()
    }

    /// - Parameter disturb: called between operations with the number of the next: evict, remount, let time pass. Open handles must survive it.
    /// - Returns: what differed, with the operation's number; empty when all was right. It stops after ten.
    package func run(
        operations: Int, random: inout RepeatableRandom, disturb: (Int, inout RepeatableRandom) async throws -> Void = { _, _ in }
    ) async throws -> [String] {
        var differences: [String] = []
        var handles: [(path: String, file: Tree.File)] = []
        for number in 0..<operations where differences.count < 10 {
            try await disturb(number, &random)
            let difference: String?
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1: difference = await list(anyPath(&random))
            case 2...3: difference = await facts(anyPath(&random))
            case 4:
                difference = await open(anyPath(&random), &handles)
                if handles.count > 8 { await handles.remove(at: Int.random(in: 0..<handles.count, using: &random)).file.close() }
            default:
                if handles.isEmpty, let path = filePaths.randomElement(using: &random) { _ = await open(path, &handles) }
                guard let handle = handles.randomElement(using: &random) else { continue }
                difference = await read(handle, &random)
            }
            if let difference { differences.append("seed \(random.seed) operation \(number): \(difference)") }
        }
        for handle in handles { await handle.file.close() }
        return differences
    }

    private func anyPath(_ random: inout RepeatableRandom) -> String {
        let path = paths.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return path.isEmpty ? "absent" : path + "/absent"
        case 1: return path.isEmpty ? "absent" : path + "x"
        default: return path
        }
    }

    private func list(_ path: String) async -> String? {
        let expected = outcome { () throws(TreeFault) in try reference.list(path) }
        let found = await outcome { try await tree.list(path) }
        if case .success(let names) = found, Set(names).count != names.count { return "list \(path): names repeat" }
        return compare("list \(path)", expected, found.map { Set($0) })
    }

    private func facts(_ path: String) async -> String? {
        let expected = outcome { () throws(TreeFault) in try reference.facts(path) }
        return compare("stat \(path)", expected, await outcome { try await tree.facts(path) })
    }

    private func open(_ path: String, _ handles: inout [(path: String, file: Tree.File)]) async -> String? {
        let expected = outcome { () throws(TreeFault) in
            if try reference.facts(path).isDirectory { throw TreeFault.isDirectory }
            return true
        }
        let found = await outcome { try await tree.open(path) }
        if case .success(let file) = found { handles.append((path, file)) }
        return compare("open \(path)", expected, found.map { _ in true })
    }

    private func read(_ handle: (path: String, file: Tree.File), _ random: inout RepeatableRandom) async -> String? {
        let size = UInt64(reference.files[handle.path]?.bytes.count ?? 0)
        let offset: UInt64 =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: 0
            case 1: size - min(size, UInt64.random(in: 0...100, using: &random))
            case 2: UInt64.random(in: 0...(size + 10), using: &random)
            default: UInt64.random(in: 0...size, using: &random) / 65536 * 65536
            }
        let count = [1, 100, 4096, 65536, 131_072, 1 << 20].randomElement(using: &random) ?? 1
        let expected: Result<[UInt8], TreeFault> = .success(reference.read(handle.path, at: offset, count: count))
        let found = await outcome { try await handle.file.read(at: offset, count: count) }
        if case .success(let bytes) = expected, case .success(let got) = found, bytes != got {
            let first = zip(bytes, got).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            return "read \(handle.path) at \(offset) +\(count): \(got.count) bytes of \(bytes.count), first wrong \(first.map(String.init) ?? "none")"
        }
        return compare("read \(handle.path) at \(offset) +\(count)", expected.map(\.count), found.map(\.count))
    }

    private func outcome<Value>(_ body: () throws(TreeFault) -> Value) -> Result<Value, TreeFault> {
        do throws(TreeFault) { return .success(try body()) } catch { return .failure(error) }
    }

    private func outcome<Value>(_ body: () async throws -> Value) async -> Result<Value, TreeFault> {
        do { return .success(try await body()) } catch let fault as TreeFault { return .failure(fault) } catch { return .failure(.other("\(error)")) }
    }

    private func compare<Value: Equatable>(_ what: String, _ expected: Result<Value, TreeFault>, _ found: Result<Value, TreeFault>) -> String? {
        expected == found ? nil : "\(what): \(found), expected \(expected)"
    }
}
