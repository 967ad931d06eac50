package import Transport

extension HTTPAccess {
    /// The same way to the network, with nothing that tells another origin who asks. A netrc file names its hosts itself.
    package var withoutSecrets: HTTPAccess {
        var access = self
        if case .netrc = credentials {} else { access.credentials = .none }
        access.extraFields = []
        access.clientCertificate = nil
        access.clientKey = nil
        return access
    }
}
