internal import ControlProtocol

/// `mount.reelfs.8`, from the same tables.
enum MountHelperManual {
    static func text() -> String {
        var text = ".TH MOUNT.REELFS 8 \"\" \"reelfs \(ProgramVersion.text)\" \"System Administration\"\n"
        text += """
            .SH NAME
            mount.reelfs \\- mount cloud drives and web links from fstab
            .SH SYNOPSIS
            .B mount.reelfs
            \\fISOURCE\\fR \\fIDIR\\fR [\\fB\\-sfnv\\fR] [\\fB\\-o\\fR \\fIOPTION\\fR,...]
            .SH DESCRIPTION
            \\fBmount\\fR(8) runs it for filesystems of type \\fBreelfs\\fR. \\fISOURCE\\fR is a URL, the absolute path of a list of links, names of
            configured sources with commas between them, or \\fBall\\fR for all of them.
            .PP
            Secrets do not belong in \\fI/etc/fstab\\fR, which everyone can read: name a file or a configured source.
            .SH OPTIONS
            .TP
            \\fBallow_other\\fR, \\fBuid=\\fR\\fIN\\fR, \\fBgid=\\fR\\fIN\\fR, \\fBumask=\\fR\\fIN\\fR, \\fBro\\fR
            Who may look, and as whose the files are shown. Mounts are always read\\-only, nosuid and nodev.
            .TP
            \\fBusername=\\fR\\fINAME\\fR
            The user name at the origin (\\fBuser\\fR belongs to \\fBmount\\fR(8)).

            """
        for flag in CommandTable.sourceFlags + CommandTable.cacheFlags + CommandTable.global.prefix(3) where flag.name != "user" {
            text += ".TP\n\\fB\(Roff.escaped(flag.name))" + (flag.value.map { "=\\fR\\fI\(Roff.escaped($0))\\fR" } ?? "\\fR") + "\n"
            text += Roff.paragraph(flag.help) + "\n"
        }
        text += """
            .PP
            A comma in a value is written \\fB\\e,\\fR. Options for \\fBmount\\fR(8) and systemd (\\fBnoauto\\fR, \\fBnofail\\fR,
            \\fB_netdev\\fR, \\fBx\\-...\\fR)
            are left to them.
            .SH EXAMPLES
            Lines of \\fI/etc/fstab\\fR:
            .PP
            .nf
            https://media.example/films/  /srv/films  reelfs  noauto,x\\-systemd.automount,_netdev,allow_other  0 0
            cloud  /srv/cloud  reelfs  _netdev,nofail,config\\-dir=/etc/reelfs,allow_other,uid=1000  0 0
            .fi
            .SH EXIT STATUS
            0: mounted; 2: the words were not understood; 32 or another: not mounted, the standard error says why.
            .SH SEE ALSO
            \\fBreelfs\\fR(1), \\fBmount\\fR(8), \\fBfstab\\fR(5)

            """
        return text
    }
}
