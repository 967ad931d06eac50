internal import ControlProtocol

/// `reelfs.1`, from the table.
enum ManualWriter {
    static func program() -> String {
        var text = ".TH REELFS 1 \"\" \"reelfs \(ProgramVersion.text)\" \"User Commands\"\n"
        text += ".SH NAME\nreelfs \\- cloud drives and web links as directories\n"
        text += ".SH SYNOPSIS\n.B reelfs\n\\fICOMMAND\\fR [\\fIFLAGS\\fR]\n"
        text += """
            .SH DESCRIPTION
            \\fBreelfs\\fR mounts WebDAV drives, directory indexes of web servers and links as read\\-only directories. Every program can list them,
            play from them and copy out of them. Reading fetches the bytes asked for, through one checked cache on disk that all mounts share.
            .PP
            Say what you have with \\fBreelfs add\\fR, then \\fBreelfs mount\\fR \\fIDIR\\fR. Without an account: \\fBreelfs demo\\fR.
            .PP
            A \\fIPATH\\fR is a path in a mount, or \\fISOURCE/PATH\\fR.

            """
        text += ".SH COMMANDS\n"
        for command in CommandTable.commands where !command.isHidden {
            text += section(command, ["reelfs", command.name])
            for inner in command.subcommands { text += section(inner, ["reelfs", command.name, inner.name]) }
        }
        text += ".SH FLAGS OF ALL COMMANDS\n" + CommandTable.global.map(Roff.flag).joined()
        text += files + exitStatus()
        text += ".SH SEE ALSO\n\\fBmount.reelfs\\fR(8), \\fBfusermount3\\fR(1), \\fBmount\\fR(8), \\fBsystemd.mount\\fR(5)\n"
        return text
    }

    private static func section(_ command: Command, _ words: [String]) -> String {
        var text = ".SS \"\(Roff.escaped(HelpWriter.usage(command, words.joined(separator: " "))))\"\n"
        let summary = command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."
        text += Roff.paragraph(summary) + "\n"
        for paragraph in command.details { text += ".PP\n" + Roff.paragraph(paragraph) + "\n" }
        for flag in command.flags where !flag.isHidden { text += Roff.flag(flag) }
        if let without = command.withoutDaemon { text += ".PP\nWithout a running daemon: " + Roff.paragraph(without) + "\n" }
        if !command.examples.isEmpty { text += ".PP\nExamples:\n" + command.examples.map(Roff.example).joined() }
        return text
    }

    private static let files = """
        .SH FILES
        .TP
        \\fI$XDG_CONFIG_HOME/reelfs/sources/NAME.toml\\fR
        One source, made by \\fBreelfs add\\fR or by hand. Keys: \\fBtype\\fR, \\fBurl\\fR, \\fBsecret_link\\fR, \\fBuser\\fR,
        \\fBpassword_command\\fR,
        \\fBnetrc\\fR, \\fBca_cert\\fR, \\fBclient_cert\\fR, \\fBclient_key\\fR, \\fBproxy\\fR, \\fBcache_key\\fR, \\fBrewrite\\fR (a list of pairs),
        \\fBallow_private\\fR, \\fBallow_insecure_redirect\\fR, \\fBaccept_type\\fR (a list), \\fBlisting_seconds\\fR, \\fBconnections\\fR.
        Only \\fBurl\\fR is
        needed. The file before the last change is \\fINAME.toml.bak\\fR.
        .TP
        \\fI$XDG_CONFIG_HOME/reelfs/secrets/NAME.password\\fR, \\fI.bearer\\fR, \\fI.headers\\fR, \\fI.link\\fR
        Its secrets, one file each, mode 0600.
        .TP
        \\fI$XDG_CONFIG_HOME/reelfs/reelfs.toml\\fR
        Optional. Keys: \\fBcache_directory\\fR, \\fBcache_size\\fR ("50G", "10%"), \\fBminimum_free\\fR, \\fBlog_level\\fR, \\fBmount_point\\fR (for
        \\fBreelfs daemon\\fR).
        .TP
        \\fI$XDG_CACHE_HOME/reelfs\\fR
        The cache.
        .TP
        \\fI$XDG_STATE_HOME/reelfs/daemon\\-*.log\\fR
        Messages of a daemon in the background.
        .TP
        \\fI$XDG_RUNTIME_DIR/reelfs\\fR, \\fI/tmp/reelfs\\-UID\\fR
        The control socket.
        .PP
        The defaults of these directories are \\fI\\(ti/.config\\fR, \\fI\\(ti/.cache\\fR and \\fI\\(ti/.local/state\\fR. Root reads only
        configuration that
        belongs to root and that nobody else may write to.

        """

    private static func exitStatus() -> String {
        ".SH EXIT STATUS\n" + ExitCode.allCases.map { ".TP\n.B \($0.rawValue)\n\(Roff.paragraph($0.meaning))\n" }.joined()
    }
}
