internal import Configuration
internal import ControlProtocol
internal import Diagnostics
internal import HTTPFiles
internal import HTTPIndexSource
internal import SourceAPI
internal import SourceDetection
internal import Transport
internal import URLListSource
internal import WebDAVSource

/// Makes the source that a definition describes.
struct SourceFactory: Sendable {
    let client: HTTPClient
    let log: Log

    /// What was made, and the type that was found out when the definition had none.
    struct Product: Sendable {
        let source: any Source
        let type: SourceType
    }

    /// Runs the password command and asks the origin for its kind, where that is needed: it may take as long as a listing.
    func make(_ configured: ConfiguredSource) async throws(SourceError) -> Product {
        let definition = configured.definition
        let location = configured.location.reveal()
        let access = try await access(configured)
        let options = HTTPFileOptions(acceptedTypes: definition.acceptedTypes, cacheKeyRule: cacheKeyRule(definition))
        if location.hasPrefix("/") {
            return Product(source: URLList(place: .file(location), client: client, access: access, options: options, log: log), type: .list)
        }
        guard let address = HTTPURL(WebDAVAddress.httpText(location) ?? location) else {
            throw SourceError(
                .unsupported, "\(definition.name.text): not an http or https address", advice: "reelfs set \(definition.name.text) --url URL")
        }
        let type: SourceType
        if let known = definition.type {
            type = known
        } else {
            switch try await SourceDetector(client: client).kind(of: address, access: access) {
            case .webdav: type = .webdav
            case .http: type = .http
            case .list: type = .list
            }
        }
        switch type {
        case .webdav: return Product(source: WebDAVDrive(address: address, client: client, access: access, options: options, log: log), type: type)
        case .http: return Product(source: HTTPIndex(address: address, client: client, access: access, options: options, log: log), type: type)
        case .list: return Product(source: URLList(place: .address(address), client: client, access: access, options: options, log: log), type: type)
        }
    }

    private func access(_ configured: ConfiguredSource) async throws(SourceError) -> HTTPAccess {
        let definition = configured.definition
        var access = HTTPAccess(userAgent: "reelfs/\(ProgramVersion.text)")
        access.credentials = try await credentials(configured)
        access.extraFields = configured.secrets.headers.map { HTTPField($0.name, $0.value.reveal()) }
        access.caCertificate = definition.caCertificate
        access.clientCertificate = definition.clientCertificate
        access.clientKey = definition.clientKey
        access.proxy = definition.proxy
        access.allowsPrivateRedirects = definition.allowsPrivate
        access.allowsInsecureRedirects = definition.allowsInsecureRedirects
        if let limit = definition.maximumConnections { access.maximumConnections = max(1, Int(limit)) }
        return access
    }

    private func credentials(_ configured: ConfiguredSource) async throws(SourceError) -> HTTPCredentials {
        let definition = configured.definition
        if let bearer = configured.secrets.bearer { return .bearer(bearer) }
        if let user = definition.user {
            if let password = configured.secrets.password { return .password(user: user, password: password) }
            if let command = definition.passwordCommand {
                do throws(ConfigurationError) {
                    let password = try await BlockingWork.run { () throws(ConfigurationError) in try PasswordCommand.run(command) }
                    return .password(user: user, password: password)
                } catch {
                    throw SourceError(.loginRequired, "\(definition.name.text): \(error.message)", advice: error.advice)
                }
            }
            if !definition.usesNetrc { return .password(user: user, password: Secret("")) }
        }
        return definition.usesNetrc ? .netrc(path: nil) : .none
    }

    private func cacheKeyRule(_ definition: SourceDefinition) -> CacheKeyRule {
        let stripped: CacheKeyRule.StrippedQuery =
            switch definition.cacheKey {
            case nil: .nothing
            case .stripQuery: .everything
            case .stripNames(let names): .names(names)
            }
        return CacheKeyRule(strippedQuery: stripped, rewrites: definition.rewrites.map { CacheKeyRule.Rewrite(from: $0.from, to: $0.to) })
    }
}
