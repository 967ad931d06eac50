// swift-tools-version: 6.2
import PackageDescription

/// Every Swift module of the product is built with the same strictness: a warning is an error.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A library module of the product.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one module, in `Tests/<name>Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: strict)
}

let package = Package(
    name: "reelfs",
    targets: [
        // C libraries and C code
        .target(name: "CLinux"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CToml"),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),

        // Open to all modules
        module("Bytes", ["CLinux"]),
        module("Diagnostics"),

        // What blocks, apart from Swift's pool
        module("Threads", ["CLinux"]),
        tests("Threads", ["OffPool", "TestSupport"]),

        // The contract between origins and readers
        module("SourceAPI", ["Bytes"]),

        // What a mount shows
        module("VirtualTree", ["Bytes", "ChunkStore", "Diagnostics", "ListingStore", "ReadPath", "SourceAPI"]),

        // The kernel's requests, answered from the tree
        module("FuseAdapter", ["Bytes", "CFuse", "CLinux", "Diagnostics", "SourceAPI", "Threads", "VirtualTree"]),

        // What is kept on disk
        module("Database", ["CSQLite"]),
        module("ChunkStore", ["Bytes", "Diagnostics", "Database", "CLinux", "Threads"]),
        module("ListingStore", ["Bytes", "Diagnostics", "SourceAPI", "Database", "Threads"]),

        // Range → cached, on its way, or to be fetched
        module("ReadPath", ["Bytes", "Diagnostics", "SourceAPI", "ChunkStore"]),

        // HTTP, and files behind it
        module("Transport", ["Bytes", "Diagnostics", "CCurl", "CLinux"]),
        module("HTTPFiles", ["Bytes", "Diagnostics", "SourceAPI", "Transport"]),
        tests("Transport", ["Bytes", "Diagnostics", "TestSupport"]),
        tests("HTTPFiles", ["Bytes", "Diagnostics", "SourceAPI", "Transport", "TestSupport"]),

        // Codec headers and media formats. Pure.
        module("Codecs", ["Bytes"]),
        module("MPEGTransport", ["Bytes", "Codecs"]),
        tests("Codecs", ["Bytes"]),
        module("MP4", ["Bytes"]),
        tests("MP4", ["TestSupport"]),
        tests("MPEGTransport", ["Bytes", "Codecs", "TestSupport"]),

        // From one container to another, and the files around it
        module("Remux", ["Bytes", "Codecs", "MP4", "MPEGTransport", "Matroska"]),
        tests("Remux", ["Bytes", "Codecs", "MP4", "MPEGTransport", "Matroska", "TestSupport"]),
        tests("MediaFiles", ["MP4", "MPEGTransport", "Matroska", "Remux", "TestSupport"]),
        module("MediaFiles", ["Bytes", "CLinux", "Codecs", "MP4", "MPEGTransport", "Matroska", "Remux"]),

        // `reelfs demo`
        module("DemoOrigin", ["Bytes", "Diagnostics", "CLinux", "CMicroHTTPD"]),

        // Kinds of origins
        module("WebPaths", ["Bytes"]),
        module("WebDAVSource", ["Bytes", "Diagnostics", "SourceAPI", "Transport", "HTTPFiles", "WebPaths", "CLibXML2"]),
        module("HTTPIndexSource", ["Bytes", "Diagnostics", "SourceAPI", "Transport", "HTTPFiles", "WebPaths", "CLibXML2"]),
        module("URLListSource", ["Diagnostics", "SourceAPI", "Transport", "HTTPFiles", "WebPaths"]),
        module("SourceDetection", ["SourceAPI", "Transport", "HTTPFiles", "WebDAVSource", "URLListSource"]),

        // `reelfs selftest`
        module("OriginReport"),
        module(
            "SelfTest",
            ["Bytes", "Diagnostics", "HTTPFiles", "HTTPIndexSource", "OriginReport", "SourceAPI", "Transport", "WebDAVSource"]),
        tests("SelfTest", ["Diagnostics", "HTTPFiles", "HTTPIndexSource", "OriginReport", "SourceAPI", "TestSupport", "Transport", "WebDAVSource"]),

        // Never shipped: real servers, trees and films for the tests of all modules
        module("TestSupport", ["Bytes", "CLinux", "DemoOrigin"]),
        .target(
            name: "MemoryTree", dependencies: ["Bytes", "FuseAdapter", "SourceAPI", "TestSupport", "VirtualTree"], path: "Tests/MemoryTree",
            swiftSettings: strict),
        .target(name: "OffPool", dependencies: ["Threads"], path: "Tests/OffPool", swiftSettings: strict),
        .executableTarget(
            name: "MountProgram", dependencies: ["Diagnostics", "FuseAdapter", "MemoryTree"], path: "Tests/MountProgram", swiftSettings: strict),

        // Media containers: bytes in, values out
        module("Matroska", ["Bytes", "CZlib"]),

        // Configuration, and the control socket between the command line and the daemon
        module("Configuration", ["Bytes", "CToml", "Diagnostics"]),
        module("ControlProtocol", ["Configuration", "Diagnostics"]),
        module("ControlSocket", ["Bytes", "CLinux", "ControlProtocol", "Diagnostics", "Threads"]),
        module(
            "CommandLineTool",
            ["CLinux", "Configuration", "ControlProtocol", "ControlSocket", "Diagnostics", "MediaFiles", "OriginReport", "Threads"]),

        // Composition root, and the program
        module(
            "Daemon",
            [
                "Bytes", "CCurl", "CFuse", "CLibXML2", "CLinux", "CMicroHTTPD", "CSQLite", "ChunkStore", "CommandLineTool", "Configuration",
                "ControlProtocol", "ControlSocket", "Database", "DemoOrigin", "Diagnostics", "FuseAdapter", "HTTPFiles", "HTTPIndexSource",
                "ListingStore", "OriginReport", "ReadPath", "SelfTest", "SourceAPI", "SourceDetection", "Transport", "URLListSource", "VirtualTree",
                "WebDAVSource",
            ]),
        .executableTarget(name: "reelfs", dependencies: ["CommandLineTool", "ControlProtocol", "Daemon"], swiftSettings: strict),

        // Tests
        tests(
            "FuseAdapter",
            ["Bytes", "CFuse", "CLinux", "Diagnostics", "MemoryTree", "MountProgram", "SourceAPI", "TestSupport", "Threads", "VirtualTree"]),
        tests("TestSupport"),
        tests("DemoOrigin", ["Bytes", "Diagnostics", "TestSupport"]),
        tests("Bytes", ["CLinux"]),
        tests("WebPaths", ["Bytes"]),
        tests("WebDAVSource", ["Bytes", "Diagnostics", "SourceAPI", "Transport", "HTTPFiles", "WebPaths", "TestSupport"]),
        tests("HTTPIndexSource", ["Bytes", "Diagnostics", "SourceAPI", "Transport", "HTTPFiles", "WebPaths", "TestSupport"]),
        tests("URLListSource", ["Diagnostics", "SourceAPI", "Transport", "HTTPFiles", "TestSupport"]),
        .testTarget(
            name: "SourceIntegrationTests",
            dependencies: [
                "Bytes", "Diagnostics", "SourceAPI", "Transport", "HTTPFiles", "WebDAVSource", "HTTPIndexSource", "URLListSource", "SourceDetection",
                "TestSupport",
            ], swiftSettings: strict),
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "Bytes", "ChunkStore", "Diagnostics", "SourceAPI", "ReadPath", "Transport", "HTTPFiles", "WebDAVSource", "HTTPIndexSource",
                "TestSupport",
            ], swiftSettings: strict),
        tests("Matroska", ["Bytes", "CZlib", "TestSupport"]),
        tests("Database", ["OffPool"]),
        tests("ChunkStore", ["Bytes", "Diagnostics", "Database", "CLinux", "OffPool", "TestSupport"]),
        tests("ListingStore", ["Bytes", "Diagnostics", "OffPool", "SourceAPI", "Database", "TestSupport"]),
        tests("Configuration", ["Diagnostics", "TestSupport"]),
        tests("ControlProtocol", ["Configuration", "Diagnostics", "TestSupport"]),
        tests("ControlSocket", ["Configuration", "ControlProtocol", "Diagnostics", "TestSupport"]),
        tests("CommandLineTool", ["Configuration", "ControlProtocol", "ControlSocket", "Diagnostics", "OriginReport", "TestSupport"]),
        tests("VirtualTree", ["Bytes", "ChunkStore", "Diagnostics", "ListingStore", "OffPool", "ReadPath", "SourceAPI", "TestSupport"]),
        tests("ReadPath", ["Bytes", "Diagnostics", "OffPool", "SourceAPI", "ChunkStore"]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Bytes", "Diagnostics", "HTTPFiles", "HTTPIndexSource", "SourceAPI", "SourceDetection", "TestSupport", "Transport", "WebDAVSource",
            ], swiftSettings: strict),
        .testTarget(name: "EndToEndTests", dependencies: ["DemoOrigin", "TestSupport"], swiftSettings: strict),
    ],
    cxxLanguageStandard: .cxx17
)

// Parsers under libFuzzer: Scripts/fuzz builds them, with flags that no other build has.
if Context.environment["REELFS_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "Bytes", "Codecs", "Configuration", "HTTPFiles", "HTTPIndexSource", "MP4", "MPEGTransport", "Matroska", "MediaFiles", "SourceAPI",
                "Transport", "URLListSource", "VirtualTree", "WebDAVSource", "WebPaths",
            ], path: "Fuzz", exclude: ["Corpus"], swiftSettings: strict))
}
