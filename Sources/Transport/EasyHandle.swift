internal import Bytes
internal import CCurl
internal import Diagnostics

/// Owns one easy handle of libcurl. It is used for one access at one origin again and again, and keeps the state of
/// Digest meanwhile. The engine's thread only.
final class EasyHandle {
    struct Use: Hashable {
        var origin: HTTPOrigin
        var access: HTTPAccess
    }

    let pointer: UnsafeMutableRawPointer
    let use: Use
    /// The mask of its last use: libcurl keeps what it picked.
    private(set) var authentication: UInt?
    private let reason: UnsafeMutablePointer<CChar>
    private var fields: UnsafeMutablePointer<curl_slist>?

    /// - Parameter engine: what the callbacks of sockets get; it must outlive every connection.
    /// - Returns: `nil` when libcurl has no memory.
    init?(use: Use, engine: UnsafeMutableRawPointer) {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        self.use = use
        reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        set(CURLOPT_ERRORBUFFER, pointer: reason)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_NOPROGRESS, 1)
        set(CURLOPT_BUFFERSIZE, 512 << 10)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_HTTP_VERSION, use.origin.isEncrypted ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        set(CURLOPT_USERAGENT, use.access.userAgent)
        if let file = use.access.caCertificate { set(CURLOPT_CAINFO, file) }
        if let file = use.access.clientCertificate { set(CURLOPT_SSLCERT, file) }
        if let file = use.access.clientKey { set(CURLOPT_SSLKEY, file) }
        ccurl_set_data_function(pointer, CURLOPT_WRITEFUNCTION, takeBodyCallback)
        ccurl_set_data_function(pointer, CURLOPT_HEADERFUNCTION, takeHeadCallback)
        ccurl_set_open_socket_function(pointer, openSocketCallback)
        ccurl_set_close_socket_function(pointer, closeSocketCallback)
        set(CURLOPT_CLOSESOCKETDATA, pointer: engine)
        ccurl_set_prereq_function(pointer, prerequestCallback)
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(fields)
        reason.deallocate()
    }

    /// Sets everything that one hop of an exchange needs; nothing of the hop before stays.
    ///
    /// - Returns: why it cannot be sent, `nil` if it can.
    func prepare(_ exchange: Exchange, proxy: String, authentication: UInt, isFresh: Bool) -> String? {
        reason[0] = 0
        self.authentication = authentication
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        for option in [CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_PREREQDATA] {
            set(option, pointer: context)
        }
        guard set(CURLOPT_URL, exchange.url.text) == CURLE_OK else { return "a URL that cannot be sent" }
        prepareMethod(exchange)
        guard prepareFields(exchange) else { return "a field that cannot be sent" }
        prepareCredentials(exchange, authentication)
        set(CURLOPT_PROXY, proxy)
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, exchange.request.deadlines.connect.wholeMilliseconds))
        set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        // Streams share one encrypted connection where the origin can; a plain one cannot, and would only wait.
        set(CURLOPT_PIPEWAIT, exchange.url.origin.isEncrypted && !isFresh ? 1 : 0)
        return nil
    }

    private func prepareMethod(_ exchange: Exchange) {
        let body = exchange.sendsBody ? exchange.request.body : nil
        set(CURLOPT_HTTPGET, 1)
        if let body {
            set(CURLOPT_POST, 1)
            ccurl_set_off(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            body.withUnsafeBytes { _ = ccurl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress)) }
            if body.isEmpty { set(CURLOPT_COPYPOSTFIELDS, "") }
        }
        if exchange.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
            set(CURLOPT_CUSTOMREQUEST, nil)
        } else {
            set(CURLOPT_CUSTOMREQUEST, exchange.method == "GET" && body == nil ? nil : exchange.method)
        }
    }

    private func prepareFields(_ exchange: Exchange) -> Bool {
        curl_slist_free_all(fields)
        fields = nil
        var all = [HTTPField("Accept-Encoding", "identity")]
        all += exchange.effectiveAccess.extraFields
        all += exchange.hasLeftOrigin ? exchange.request.fields.filter(RedirectPolicy.mayFollow) : exchange.request.fields
        if let range = exchange.request.range {
            guard !range.isEmpty else { return false }
            all.append(HTTPField("Range", "bytes=\(range.offset)-\(range.end - 1)"))
        }
        for field in all {
            // The framing of a request is libcurl's alone.
            guard field.isSendable, !field.isNamed("Content-Length"), !field.isNamed("Transfer-Encoding") else { return false }
            append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        append("Expect:")
        if exchange.request.body != nil, all["Content-Type"] == nil { append("Content-Type:") }
        return ccurl_set_list(pointer, CURLOPT_HTTPHEADER, fields) == CURLE_OK
    }

    private func append(_ line: String) {
        if let longer = curl_slist_append(fields, line) { fields = longer }
    }

    private func prepareCredentials(_ exchange: Exchange, _ mask: UInt) {
        var user: String?, password: String?, bearer: String?
        var netrc: (isUsed: Bool, path: String?) = (false, nil)
        switch exchange.effectiveAccess.credentials {
        case .none:
            if exchange.redirects == 0 {
                user = exchange.url.user
                password = exchange.url.password?.reveal()
            }
        case .netrc(let path): netrc = (true, path)
        case .password(let name, let secret):
            user = name
            password = secret.reveal()
        case .bearer(let token): bearer = token.reveal()
        }
        set(CURLOPT_HTTPAUTH, Int(bitPattern: mask))
        set(CURLOPT_USERNAME, user)
        set(CURLOPT_PASSWORD, user == nil ? nil : password ?? "")
        set(CURLOPT_XOAUTH2_BEARER, bearer)
        set(CURLOPT_NETRC, netrc.isUsed ? Int(CURL_NETRC_OPTIONAL.rawValue) : 0)
        set(CURLOPT_NETRC_FILE, netrc.path)
    }

    /// What libcurl says of its last failure; it names hosts and ports, never credentials.
    var failureText: String { Redaction.line(String(cString: reason)) }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    @discardableResult
    private func set(_ option: CURLoption, _ value: Int) -> CURLcode { ccurl_set_long(pointer, option, value) }

    @discardableResult
    private func set(_ option: CURLoption, _ text: String?) -> CURLcode { ccurl_set_text(pointer, option, text) }

    @discardableResult
    private func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer) -> CURLcode { ccurl_set_pointer(pointer, option, value) }
}

extension Duration {
    /// Rounded down, and bounded to what a deadline may be.
    var wholeMilliseconds: Int {
        let bounded = min(max(self, .zero), .seconds(86400))
        return Int(bounded.components.seconds) * 1000 + Int(bounded.components.attoseconds / 1_000_000_000_000_000)
    }
}
