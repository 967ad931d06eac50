extension CommandTable {
    static let mountOptions = Flag(
        "option", short: "o", value: "OPTION,...", isRepeatable: true, "allow_other, uid=N, gid=N, umask=N, ro; may be given more than once")

    static let mount = Command(
        name: "mount", summary: "mount the configured sources, some of them, or URLs", operands: "[NAME|URL|-]... MOUNTPOINT", operandCount: 1...1000,
        operandKind: .directory,
        flags: [
            Flag("foreground", short: "f", "stay in the foreground; Ctrl-C unmounts"),
            mountOptions,
        ] + cacheFlags + sourceFlags,
        details: [
            "With MOUNTPOINT alone all configured sources are mounted, a directory each, and the mount follows when they change. With names only "
                + "these. With URLs what is behind them, without adding a source: one URL's content is the root of the mount, several are a "
                + "directory each. The flags of `reelfs add` say how to reach URLs.",
            "One daemon per cache directory serves all mounts. It is started in the background when it does not run yet; the command returns once "
                + "the mount answers. --cache-size and --min-free count when the daemon is started by this command.",
            "A MOUNTPOINT that does not exist is made. A mount that a killed reelfs left behind is replaced. Mounts are read-only.",
        ],
        examples: [
            Example("reelfs mount ~/Reel", "all configured sources"),
            Example("reelfs mount cloud ~/cloud", "one configured source as the root"),
            Example("reelfs mount https://media.example/films/ ~/films", "without adding anything"),
            Example("reelfs mount --type webdav --user ann https://nas.example/ ~/nas", "a drive; the password is asked for"),
            Example("reelfs mount -f -o allow_other ~/Reel", "in the foreground, for other users, too (see /etc/fuse.conf)"),
        ],
        withoutDaemon: "Starts it.")

    static let unmount = Command(
        name: "unmount", summary: "unmount", operands: "MOUNTPOINT...", operandCount: 0...1000, operandKind: .directory,
        flags: [
            Flag("all", short: "a", "everything that this daemon mounted"),
            Flag("lazy", short: "z", "detach at once, even when programs have files open"),
        ],
        details: [
            "A busy mount is detached after a few seconds: it goes when the last program closes its files. The daemon ends with its last mount, "
                + "unless a service manager runs it. Only mounts of reelfs are ever unmounted. `fusermount3 -u MOUNTPOINT` works, too."
        ],
        examples: [Example("reelfs unmount ~/Reel", "one"), Example("reelfs unmount --all", "all, which ends the daemon")],
        withoutDaemon: "Removes mounts that a killed daemon left behind.")

    static let cache = Command(
        name: "cache", summary: "look at the cache, and steer it",
        details: ["The bytes that were read, in blocks with checksums. PATH is a path in a mount, or SOURCE/PATH, of a file or a whole directory."],
        subcommands: [
            Command(
                name: "list", summary: "what is cached, least recently used first", operands: "[PATH]", operandCount: 0...1, operandKind: .file,
                flags: [json], examples: [Example("reelfs cache list cloud/course", "below one directory")], withoutDaemon: "All of it."),
            Command(
                name: "show", summary: "which parts of a file are cached", operands: "PATH", operandCount: 1...1, operandKind: .file, flags: [json],
                examples: [Example("reelfs cache show ~/Reel/cloud/film.mkv", "its ranges")], withoutDaemon: "All of it, for SOURCE/PATH."),
            Command(
                name: "verify", summary: "read cached blocks back and check them", operands: "[PATH]", operandCount: 0...1, operandKind: .file,
                flags: [json],
                details: ["Damaged blocks are dropped and fetched again when they are needed. Ends with status 1 when there were any."],
                examples: [Example("reelfs cache verify", "everything")], withoutDaemon: "All of it."),
            Command(
                name: "drop", summary: "forget the bytes of files or directories", operands: "PATH...", operandCount: 1...10_000, operandKind: .file,
                details: ["What is being read stays."], examples: [Example("reelfs cache drop cloud/old", "make room")],
                withoutDaemon: "All of it, for SOURCE/PATH."),
            Command(
                name: "clear", summary: "forget all bytes",
                details: ["What is being read stays. No directory without the marker of reelfs is touched."],
                examples: [Example("reelfs cache clear", "an empty cache")], withoutDaemon: "All of it."),
            Command(
                name: "limit", summary: "show or set what the cache may take", operands: "[SIZE]", operandCount: 0...1,
                flags: [Flag("min-free", value: "SIZE", "what to leave free on the disk"), json],
                details: ["Holds at once and is kept in reelfs.toml. SIZE is 50G, 800M or 10%."],
                examples: [Example("reelfs cache limit 50G", "at most 50 GiB; the oldest goes first")], withoutDaemon: "All of it."),
            Command(
                name: "export", summary: "write what is whole in the cache to a directory, without the network", operands: "PATH...",
                operandCount: 1...10_000, operandKind: .file,
                flags: [Flag("to", value: "DIR", kind: .directory, "where to (needed)"), json],
                examples: [Example("reelfs cache export cloud/course --to /media/stick", "to a stick")],
                withoutDaemon: "All of it, for SOURCE/PATH."),
        ])
}
