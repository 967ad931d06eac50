/// One request as far as the site looks at it.
struct DemoRequest: Sendable {
    var method: String
    /// Percent-encoded, without the query.
    var target: String
    /// The value of a field by its name in lower case.
    var fields: [String: String]

    init(_ method: String, _ target: String, _ fields: [String: String] = [:]) {
        self.method = method
        self.target = target
        self.fields = fields
    }
}

/// The answer to it. `HEAD` gets the same as `GET`; the server leaves the body out.
struct DemoReply: Sendable {
    enum Body: Sendable {
        case text(String)
        case file(ServedTree.Handle, offset: UInt64, count: UInt64)
    }

    var status: UInt32
    var fields: [(name: String, value: String)]
    var body: Body

    init(_ status: UInt32, _ fields: [(name: String, value: String)] = [], body: Body = .text("")) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A short page that says what is wrong.
    static func problem(_ status: UInt32, _ text: String, _ fields: [(name: String, value: String)] = []) -> DemoReply {
        DemoReply(status, fields + [("Content-Type", "text/plain; charset=utf-8")], body: .text(text + "\n"))
    }

    subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
}
