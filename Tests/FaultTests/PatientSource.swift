import Diagnostics
import HTTPIndexSource
import SourceAPI
import TestSupport
import Testing
import Transport
import WebDAVSource

/// A source with the deadlines of the product.
enum PatientSource {
    static func list(_ origin: FaultOrigin, _ kind: FaultyReading.Kind) async throws -> [RemoteEntry] {
        let client = HTTPClient(log: .silent)
        defer { client.shutdown() }
        let address = try #require(HTTPURL(origin.url))
        let source: any Source =
            switch kind {
            case .webdav: WebDAVDrive(address: address, client: client, access: HTTPAccess(), log: .silent)
            case .http: HTTPIndex(address: address, client: client, access: HTTPAccess(), log: .silent)
            }
        return try await source.list(source.root).entries
    }
}
