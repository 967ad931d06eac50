internal import Glibc

/// Which proxy a request goes through. The environment is read once, when the client is made.
package struct ProxyEnvironment: Sendable {
    private let values: [String: String]

    package init(_ values: [String: String]) { self.values = values }

    /// The process's own. `HTTP_PROXY` in capitals is left out: a CGI server sets it from a request's field.
    package static var process: ProxyEnvironment {
        var values: [String: String] = [:]
        for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] {
            if let text = getenv(name) { values[name] = String(cString: text) }
        }
        return ProxyEnvironment(values)
    }

    enum Choice: Equatable {
        case direct
        case through(String)
        /// The configured text is no proxy that is supported; it may hold a password and is not repeated.
        case unusable
    }

    func choose(for origin: HTTPOrigin, configured: String?) -> Choice {
        if let configured { return configured.isEmpty ? .direct : Self.checked(configured) }
        guard !isExempt(origin) else { return .direct }
        let names = origin.isEncrypted ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] : ["http_proxy", "all_proxy", "ALL_PROXY"]
        guard let text = names.lazy.compactMap({ values[$0] }).first, !text.isEmpty else { return .direct }
        return Self.checked(text)
    }

    private static func checked(_ text: String) -> Choice {
        guard HTTPField("Proxy", text).isSendable else { return .unusable }
        guard let mark = text.range(of: "://") else { return .through("http://" + text) }
        let scheme = text[..<mark].lowercased()
        return ["http", "https", "socks5", "socks5h"].contains(scheme) ? .through(text) : .unusable
    }

    /// `no_proxy`: names that also mean the hosts below them, addresses, each perhaps with a port; `*` is every host.
    private func isExempt(_ origin: HTTPOrigin) -> Bool {
        guard let list = values["no_proxy"] ?? values["NO_PROXY"] else { return false }
        let host = origin.host.hasPrefix("[") ? String(origin.host.dropFirst().dropLast()) : origin.host
        for entry in list.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }) {
            if entry == "*" { return true }
            var name = entry.drop { $0 == "." }
            if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
                name = name[name.index(after: name.startIndex)..<end]
            } else if let colon = name.firstIndex(of: ":"), name.lastIndex(of: ":") == colon {
                guard UInt16(name[name.index(after: colon)...]) == origin.port else { continue }
                name = name[..<colon]
            }
            if !name.isEmpty, host == name || host.hasSuffix("." + name) { return true }
        }
        return false
    }
}

extension String {
    /// The first `mark` as a position: what stands before it.
    fileprivate func range(of mark: String) -> Index? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(mark) { return index }
            index = self.index(after: index)
        }
        return nil
    }
}
