/// Media types by the ends of names, as far as the demo tree has such files.
enum MediaType {
    static func of(_ name: [UInt8]) -> String {
        let text = String(decoding: name, as: UTF8.self)
        let end = text.lastIndex(of: ".").map { text[text.index(after: $0)...].lowercased() } ?? ""
        return switch end {
        case "txt", "srt", "md": "text/plain; charset=utf-8"
        case "html", "htm": "text/html; charset=utf-8"
        case "mkv": "video/x-matroska"
        case "mp4", "m4v": "video/mp4"
        case "ts": "video/mp2t"
        case "mp3": "audio/mpeg"
        case "flac": "audio/flac"
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        default: "application/octet-stream"
        }
    }
}
