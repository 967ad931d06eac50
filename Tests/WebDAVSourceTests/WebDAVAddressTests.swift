import Testing

@testable import WebDAVSource

@Suite struct WebDAVAddressTests {
    @Test(
        "the schemes of WebDAV become those of HTTP",
        arguments: [
            ("webdav://h/x", "http://h/x"), ("dav://h:8080/", "http://h:8080/"), ("WebDAVs://h/x%20y", "https://h/x%20y"),
            ("davs://h/", "https://h/"),
        ])
    func translates(given: String, expected: String) { #expect(WebDAVAddress.httpText(given) == expected) }

    @Test("other texts are no WebDAV addresses by themselves", arguments: ["http://h/", "https://h/", "dav://", "webdav:", "/x", ""])
    func leavesOthers(text: String) { #expect(!WebDAVAddress.isWebDAV(text)) }
}
