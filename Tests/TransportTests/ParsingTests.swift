import Testing

@testable import Transport

@Suite("Parts of requests and responses")
struct ParsingTests {
    private func parsed(_ lines: [String]) -> ResponseHeadParser {
        var parser = ResponseHeadParser()
        for line in lines { Array((line + "\r\n").utf8).withUnsafeBytes { parser.take($0) } }
        return parser
    }

    @Test("only the latest head counts, and trailers are none of it")
    func heads() throws {
        let parser = parsed([
            "HTTP/1.1 100 Continue", "X-Interim: 1", "", "HTTP/1.1 200 OK", "A: 1", "a:2", "Folded: one", "\ttwo", "no colon", "Empty:", "",
            "Trailer: x",
        ])
        #expect(parser.status == 200)
        #expect(parser.fields == [HTTPField("A", "1"), HTTPField("a", "2"), HTTPField("Folded", "one two"), HTTPField("Empty", "")])
        #expect(parser.fields["A"] == "1" && parser.fields.values(of: "a") == ["1", "2"] && parser.fields["X-Interim"] == nil)
    }

    @Test("values that are not UTF-8 stay apart")
    func latin1() {
        var parser = ResponseHeadParser()
        for bytes in [Array("HTTP/1.1 200 OK\r\n".utf8), Array("A: ".utf8) + [0xE9, 13, 10], Array("B: ".utf8) + [0xE8, 13, 10]] {
            bytes.withUnsafeBytes { parser.take($0) }
        }
        #expect(parser.fields["A"] == "é" && parser.fields["B"] == "è")
    }

    @Test(
        "lengths are numbers that agree",
        arguments: [
            (["Content-Length: 5"], UInt64(5)), (["Content-Length: 5", "Content-Length: 5"], 5), (["Content-Length: 5, 5"], 5), ([], nil),
            (["Content-Length: 5", "Transfer-Encoding: chunked"], nil),
        ] as [([String], UInt64?)])
    func lengths(fields: [String], expected: UInt64?) throws { #expect(try parsed(["HTTP/1.1 200 OK"] + fields).contentLength() == expected) }

    @Test(
        "lengths that contradict or are none are refused",
        arguments: [
            ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: -1"], ["Content-Length: 5x"], ["Content-Length: 99999999999999999999"],
            ["Content-Length:"],
        ])
    func badLengths(fields: [String]) {
        #expect(throws: ResponseHeadParser.ContradictoryLength.self) { _ = try parsed(["HTTP/1.1 200 OK"] + fields).contentLength() }
    }

    @Test(
        "schemes are found among the parameters of challenges",
        arguments: [
            (["Basic realm=\"a\""], [AuthenticationScheme.basic]), (["Digest realm=\"Basic, x\", nonce=\"n\""], [.digest]),
            (["Negotiate, Basic realm=\"x\\\", Digest y\""], [.basic]), (["Digest realm=x, qop=auth, Basic realm=y"], [.digest, .basic]),
            (["Bearer x=1"], []), (["basic=1"], []), (["DIGEST a=b", "basic"], [.digest, .basic]), ([""], []),
        ] as [([String], [AuthenticationScheme])])
    func challenges(values: [String], expected: [AuthenticationScheme]) { #expect(AuthenticationScheme.offered(in: values) == Set(expected)) }

    @Test("the proxy is the configured one, else the environment's, but for exempt hosts")
    func proxies() {
        let environment = ProxyEnvironment(["http_proxy": "p:1", "https_proxy": "socks5h://s:2", "no_proxy": "local, .in.org,10.0.0.1:8080,::1"])
        func choose(_ scheme: String, _ host: String, port: UInt16 = 80, _ configured: String? = nil) -> ProxyEnvironment.Choice {
            environment.choose(for: HTTPOrigin(scheme: scheme, host: host, port: port), configured: configured)
        }
        #expect(choose("http", "a") == .through("http://p:1") && choose("https", "a") == .through("socks5h://s:2"))
        for host in ["local", "a.local", "in.org", "x.in.org", "[::1]"] { #expect(choose("http", host) == .direct, "\(host)") }
        #expect(choose("http", "10.0.0.1", port: 8080) == .direct && choose("http", "10.0.0.1", port: 80) == .through("http://p:1"))
        #expect(choose("http", "nolocal") == .through("http://p:1"))
        #expect(choose("http", "a", "") == .direct && choose("http", "local", "http://q:3") == .through("http://q:3"))
        #expect(choose("http", "a", "ftp://q") == .unusable && choose("http", "a", "http://q\r\nx") == .unusable)
        #expect(ProxyEnvironment([:]).choose(for: HTTPOrigin(scheme: "http", host: "a", port: 80), configured: nil) == .direct)
        #expect(
            ProxyEnvironment(["all_proxy": "x"]).choose(for: HTTPOrigin(scheme: "https", host: "a", port: 443), configured: nil)
                == .through("http://x"))
    }

    @Test("places at an origin are bounded, readers go first, read-ahead leaves one place")
    func queue() {
        var queue = OriginQueue<Int>()
        let a = HTTPOrigin(scheme: "http", host: "a", port: 80)
        let b = HTTPOrigin(scheme: "http", host: "b", port: 80)
        for number in 0..<4 { queue.add(.init(item: number, limit: 3, isBackground: true), to: a) }
        queue.add(.init(item: 9, limit: 3, isBackground: false), to: a)
        queue.add(.init(item: 20, limit: 1, isBackground: true), to: b)
        #expect(queue.next(for: a)?.item == 9 && queue.next(for: a)?.item == 0 && queue.next(for: a)?.item == 1)
        #expect(queue.next(for: a) == nil && queue.next(for: b)?.item == 20 && queue.next(for: b) == nil)
        queue.finished(at: a, isBackground: false)
        #expect(queue.next(for: a) == nil, "two of three places are the most that read-ahead may take")
        queue.add(.init(item: 10, limit: 3, isBackground: false), to: a)
        queue.add(.init(item: 11, limit: 3, isBackground: false), to: a, isFirst: true)
        #expect(queue.next(for: a)?.item == 11)
        queue.finished(at: a, isBackground: true)
        #expect(queue.next(for: a)?.item == 10)
        queue.finished(at: a, isBackground: false)
        #expect(queue.next(for: a)?.item == 2)
        #expect(queue.remove { $0 == 3 } == [3] && !queue.hasWaiting)
    }
}

extension OriginQueue.Entry: Equatable where Item: Equatable {
    static func == (left: Self, right: Self) -> Bool { left.item == right.item }
}
