internal import Configuration
internal import Diagnostics

/// All commands of `reelfs`.
enum CommandTable {
    static let program = "reelfs"

    /// Flags that every command takes.
    static let global: [Flag] = [
        Flag("cache-dir", value: "DIR", kind: .directory, "the cache to use, and with it the daemon (default: ~/.cache/reelfs)"),
        Flag("config-dir", value: "DIR", kind: .directory, "the configuration to use (default: ~/.config/reelfs)"),
        Flag("log-level", value: "LEVEL", kind: .words(Log.Level.allCases.map { "\($0)" }), "how much a daemon that this command starts logs"),
        Flag("verbose", short: "v", "say more on the standard error"),
        Flag("quiet", short: "q", "say nothing but errors"),
        Flag("help", short: "h", "show help for the command"),
    ]

    static let commands: [Command] = [
        add, list, set, remove, refresh, mount, unmount, status, cache, get, remux, probe, subtitles, doctor, selftest, demo, daemon, help,
        generate,
    ]

    static func command(_ name: String) -> Command? { commands.first { $0.name == name } }

    static let json = Flag("json", "print JSON, for scripts")

    static let refresh = Command(
        name: "refresh", summary: "list again now", operands: "[PATH...]", operandCount: 0...1000, operandKind: .file,
        details: [
            "Lists the named directories again, or with no PATH everything that running mounts know. Programs see the changes at once. "
                + "PATH is a path in a mount, or SOURCE/PATH."
        ],
        examples: [
            Example("reelfs refresh", "everything"),
            Example("reelfs refresh ~/Reel/cloud/course", "one directory of a mount"),
            Example("reelfs refresh cloud", "one source"),
        ],
        withoutDaemon: "Nothing: there is no listing in use. The next mount revalidates what is older than an hour.")

    static let status = Command(
        name: "status", summary: "show mounts, sources, open files, rates and the cache",
        flags: [
            json,
            Flag("watch", short: "w", "show it again every second until Ctrl-C (with --json: one object a line)"),
        ],
        examples: [
            Example("reelfs status", "once"), Example("reelfs status --watch", "live"),
            Example("reelfs status --json", "for scripts: fields are only ever added"),
        ],
        withoutDaemon: "Says that reelfs is not running and ends with status 3.")

    static let get = Command(
        name: "get", summary: "fetch files or directories into the cache, or out to a directory", operands: "PATH...", operandCount: 1...10_000,
        operandKind: .file,
        flags: [
            Flag("to", value: "DIR", kind: .directory, "write the files below DIR instead of only filling the cache"),
            json,
        ],
        details: [
            "Fetches in parallel and goes on where an earlier run stopped. On a terminal a bar shows progress, rate and the time that is left; "
                + "elsewhere a line is printed now and then. PATH is a path in a mount, or SOURCE/PATH.",
            "With --to each file is written as .NAME.part and renamed when it is whole; existing files of the same size and time stay.",
        ],
        examples: [
            Example("reelfs get ~/Reel/cloud/course", "into the cache, for the train"),
            Example("reelfs get cloud/course --to ~/course", "out to a directory, no mount needed"),
        ],
        withoutDaemon: "Starts the daemon for SOURCE/PATH; it ends with the last work.")

    static let doctor = Command(
        name: "doctor", summary: "check this machine, the configuration and every source", operands: "[NAME...]", operandCount: 0...1000,
        operandKind: .sourceName, flags: [json, Flag("offline", "do not ask any source")],
        details: ["Says what is wrong and what to do about it. Ends with status 1 when something is wrong."],
        examples: [Example("reelfs doctor", "everything"), Example("reelfs doctor cloud", "this machine and one source")],
        withoutDaemon: "All of it.")

    static let demo = Command(
        name: "demo", summary: "serve a small drive from inside reelfs and mount it", operands: "[MOUNTPOINT]", operandCount: 0...1,
        operandKind: .directory,
        flags: [
            Flag("tree", value: "DIR", kind: .directory, "serve the files below DIR instead of the built-in ones"),
            Flag("port", value: "NUMBER", "the port on 127.0.0.1 (default: a free one)"),
            Flag("serve-only", "only serve; mount nothing"),
        ],
        details: ["Needs no account and no other server; only this machine can reach it. Ctrl-C ends it."],
        examples: [Example("reelfs demo", "mounts on a new directory below /tmp and says where"), Example("reelfs demo ~/mnt", "mounts there")],
        withoutDaemon: "All of it: it brings its own.")

    static let daemon = Command(
        name: "daemon", summary: "run the service in the foreground (for systemd)",
        flags: [
            Flag("systemd", "tell systemd when it is ready (Type=notify) and log for the journal"),
            Flag("mount", value: "DIR", kind: .directory, "mount the configured sources there (default: mount_point of reelfs.toml, else nothing)"),
            mountOptions,
            Flag("until-unmounted", isHidden: true, "end when nothing is mounted and nothing is being fetched"),
        ] + cacheFlags,
        details: [
            "`reelfs mount` starts the service by itself when it is needed; this command is for service managers. SIGTERM and SIGINT unmount "
                + "everything and end it within 5 seconds."
        ],
        examples: [Example("reelfs daemon --mount ~/Reel", "in the foreground, log on the standard error")])

    static let help = Command(
        name: "help", summary: "show help for a command", operands: "[COMMAND [SUBCOMMAND]]", operandCount: 0...2)

    static let generate = Command(
        name: "_generate", summary: "write manual pages and completions", operands: "DIR", operandCount: 1...1, operandKind: .directory,
        isHidden: true)

    static let cacheFlags: [Flag] = [
        Flag("cache-size", value: "SIZE", "what the cache may take: 50G, 800M or 10% (default: 10% of the disk, 2 to 50 GiB)"),
        Flag("min-free", value: "SIZE", "what the cache leaves free on its disk (default: 1G)"),
    ]
}
