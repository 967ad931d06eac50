internal import Bytes

/// A directory as a page, in the shape that nginx's autoindex has: programs know it.
enum IndexPage {
    static func page(_ path: RequestPath, _ entries: [(name: [UInt8], node: ServedNode)]) -> String {
        let title = Markup.text(path.segments.reduce(into: [UInt8(ascii: "/")]) { $0 += $1 + [UInt8(ascii: "/")] })
        var text = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Index of \(title)</title></head>\n"
        text += "<body><h1>Index of \(title)</h1><hr><pre><a href=\"../\">../</a>\n"
        for entry in entries {
            let slash = entry.node.isDirectory ? "/" : ""
            text += "<a href=\"\(PercentCoding.encodeSegment(entry.name))\(slash)\">\(Markup.text(entry.name))\(slash)</a>"
            text += String(repeating: " ", count: max(1, 51 - entry.name.count)) + HTTPTime.listed(entry.node.modifiedSeconds)
            let size = entry.node.isDirectory ? "-" : "\(entry.node.size)"
            text += String(repeating: " ", count: max(1, 20 - size.count)) + size + "\n"
        }
        return text + "</pre><hr></body></html>\n"
    }
}
