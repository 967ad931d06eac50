extension CommandTable {
    static let selftest = Command(
        name: "selftest", summary: "ask a server how it behaves, and say what reelfs makes of it", operands: "URL|NAME|-", operandCount: 1...1,
        operandKind: .sourceName,
        flags: [json] + sourceFlags.filter { !["cache-key", "rewrite", "listing-seconds"].contains($0.name) },
        details: [
            "Asks for the listing, chooses a file and asks for parts of it: first, middle and last bytes, ranges that overlap, from the end, "
                + "beyond the end, under If-Range, four at once, and HEAD; looks at redirects, entity tags, times and lengths of all replies, at "
                + "hrefs, sizes and times of the listing; measures a little; and reads as a mount does. At most 16 MiB are fetched, within two "
                + "minutes. Nothing is mounted, cached or changed.",
            "Each line is ok, note (unusual, and of no consequence) or BAD, with what was seen and what reelfs does about it. Nothing secret is "
                + "printed: the report can be passed on as it is.",
            "Ends with status 0 when the server can be used in full, 4 when it can be used with limits, 1 when listings or reads fail.",
        ],
        examples: [
            Example("reelfs selftest https://media.example/films/", "an address, before it is added"),
            Example("reelfs selftest --user ann https://nas.example/dav/", "with a login; the password is asked for"),
            Example("reelfs selftest cloud", "a configured source"),
            Example("reelfs selftest --json - < link.txt", "a link that is a secret, for scripts: fields are only ever added"),
        ],
        withoutDaemon: "All of it.")
}
