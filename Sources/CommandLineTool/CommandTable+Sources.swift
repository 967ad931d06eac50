internal import Configuration

extension CommandTable {
    /// Flags that say what a source is and who we are to it.
    static let sourceFlags: [Flag] = [
        Flag(
            "type", short: "t", value: "TYPE", kind: .words(SourceType.allCases.map(\.rawValue)),
            "webdav, http (a directory index, or one file) or list (a text file of URLs); default: found out"),
        Flag("user", short: "u", value: "NAME", "the user name; on a terminal the password is asked for"),
        Flag("password-file", value: "FILE", kind: .file, "take the password from FILE (-: the standard input) and keep a copy only you can read"),
        Flag("password-command", value: "COMMAND", "run COMMAND with the shell whenever the password is needed; nothing is kept"),
        Flag("bearer-file", value: "FILE", kind: .file, "take a bearer token from FILE (-: the standard input)"),
        Flag("header-file", value: "FILE", kind: .file, "add the lines NAME: VALUE of FILE (-: the standard input) to every request"),
        Flag("netrc", "take user and password from ~/.netrc"),
        Flag("ca-cert", value: "FILE", kind: .file, "trust the certificate authorities in FILE (PEM)"),
        Flag("client-cert", value: "FILE", kind: .file, "identify with this certificate (PEM)"),
        Flag("client-key", value: "FILE", kind: .file, "the key of the certificate (PEM)"),
        Flag("proxy", value: "URL", "http://HOST:PORT or socks5h://HOST:PORT (default: http_proxy, https_proxy, all_proxy, no_proxy)"),
        Flag(
            "cache-key", value: "RULE",
            "strip-query, or strip-query:NAME,NAME: links that differ in (these names of) their query share one cached object"),
        Flag(
            "rewrite", value: "FROM=TO", isRepeatable: true,
            "in keys of the cache, the first FROM in a URL stands for TO; a * in FROM is anything but /"),
        Flag("accept-type", value: "TYPE", isRepeatable: true, "this media type is a file, not a login page (text/html)"),
        Flag("allow-private", "a public origin may lead to addresses of this machine and its network"),
        Flag("allow-insecure-redirect", "https may lead to http"),
        Flag("listing-seconds", value: "NUMBER", "how long a listing is used without asking again"),
        Flag("connections", value: "NUMBER", "how many connections to one origin"),
    ]

    static let add = Command(
        name: "add", summary: "add a source", operands: "URL|-", operandCount: 1...1,
        flags: [Flag("name", short: "n", value: "NAME", "its name, a directory in the mount (default: from the URL)")] + sourceFlags,
        details: [
            "A source is a WebDAV drive, a directory index of a web server, one file behind a link, or a list of links. It becomes one small file in "
                + "~/.config/reelfs/sources, which you may edit by hand; running mounts of the configured sources show it at once. The name is "
                + "printed.",
            "With - the URL is read from the standard input and kept as a secret: for links that let in whoever has them.",
            "Passwords never go on the command line. User and password in the URL itself are moved to a secret file.",
        ],
        examples: [
            Example("reelfs add https://cloud.example/remote.php/dav/files/ann/ --user ann", "a drive; the password is asked for"),
            Example("reelfs add webdavs://nas.example/ --user ann --password-command 'pass show nas'", "a password manager is asked each time"),
            Example("reelfs add https://media.example/films/", "a directory of a web server"),
            Example("reelfs add - --name film < link.txt", "a link that is a secret"),
            Example("reelfs add --type list links.txt", "a text file of links"),
        ],
        withoutDaemon: "All of it: it writes files. A daemon that starts later reads them.")

    static let list = Command(
        name: "list", summary: "show the configured sources",
        flags: [json, Flag("names", "print only the names")],
        examples: [Example("reelfs list", "name, type, user and URL of each")],
        withoutDaemon: "All of it.")

    /// What `set --clear` takes.
    static let clearable = [
        "type", "user", "password", "password-command", "bearer", "headers", "netrc", "ca-cert", "client-cert", "client-key", "proxy", "cache-key",
        "rewrite", "accept-type", "allow-private", "allow-insecure-redirect", "listing-seconds", "connections",
    ]

    static let set = Command(
        name: "set", summary: "change a source", operands: "NAME", operandCount: 1...1, operandKind: .sourceName,
        flags: [
            Flag("url", value: "URL", "its new URL (-: read from the standard input and kept as a secret)"),
            Flag("password", "ask for a new password on the terminal"),
            Flag("clear", value: "KEY", kind: .words(clearable), isRepeatable: true, "take back what was set: user, password, proxy, ca-cert…"),
        ] + sourceFlags,
        details: [
            "Changes only what is named; --rewrite and --accept-type replace all earlier ones. Comments in the file stay, except those behind "
                + "a changed value; the previous file is kept as NAME.toml.bak. Running mounts follow at once."
        ],
        examples: [
            Example("reelfs set cloud --password", "a new password, asked for"),
            Example("reelfs set cloud --proxy socks5h://127.0.0.1:1080", "through a tunnel"),
            Example("reelfs set cloud --clear proxy", "without it again"),
        ],
        withoutDaemon: "All of it.")

    static let remove = Command(
        name: "remove", summary: "forget a source", operands: "NAME...", operandCount: 1...1000, operandKind: .sourceName,
        flags: [Flag("purge", "drop its cached bytes and listings, too")],
        details: ["Removes its file, its secrets and its directory in running mounts. What others have open can be read on until it is closed."],
        examples: [Example("reelfs remove cloud --purge", "as if it had never been there")],
        withoutDaemon: "All of it.")
}
