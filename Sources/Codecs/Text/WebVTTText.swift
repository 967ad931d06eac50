/// Text of WebVTT cues (WebVTT, W3C §3.2), Matroska's S_TEXT/WEBVTT.
package enum WebVTTText {
    /// The words without tags, with character references resolved.
    package static func plain(_ payload: [UInt8]) -> String {
        var scanner = TextScanner(payload)
        var result = ""
        while let character = scanner.next() {
            if character == "<", scanner.passed(until: ">", if: { _ in true }) != nil { continue }
            if character == "&", let name = scanner.passed(until: ";", if: { $0.count <= 4 && references[String($0)] != nil }) {
                result += references[name] ?? ""
            } else {
                result.append(character)
            }
        }
        return TextScanner.trimmed(result)
    }

    private static let references = ["amp": "&", "lt": "<", "gt": ">", "nbsp": "\u{A0}", "lrm": "\u{200E}", "rlm": "\u{200F}", "quot": "\""]
}
