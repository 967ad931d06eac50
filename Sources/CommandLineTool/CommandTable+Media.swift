extension CommandTable {
    static let force = Flag("force", short: "f", "replace what is there already")

    static let remux = Command(
        name: "remux", summary: "make an .mp4 of an .mkv, .webm or .ts without touching picture and sound", operands: "IN OUT.mp4",
        operandCount: 2...2, operandKind: .file,
        flags: [
            Flag("fragmented", "an MP4 in fragments, as players in browsers and streaming servers take it"),
            Flag("faststart", "the index before the samples, so that playing from a web server starts at once"),
            Flag("no-subtitles", "leave the subtitles out"),
            Flag("srt", "write the text subtitles beside OUT as well, as .LANG.srt"),
            force, json,
        ],
        details: [
            "Copies every frame bit for bit into the other container: nothing is decoded, nothing gets worse, and it is as fast as the disk. All "
                + "video, audio and text subtitles go in with their languages and names, chapters and the cover; `reelfs probe` says beforehand "
                + "what goes in and what does not, and why.",
            "OUT gets its name when it is whole; what is stopped before leaves nothing behind, and what came to "
                + "stand at OUT meanwhile is not replaced without --force. Memory does not grow with the film but for its "
                + "tables of samples.",
            "Ends with status 5 when the film cannot become an MP4: its only video or audio is in a codec without a place there, it is "
                + "encrypted, or its times are beyond what an MP4 has room for.",
        ],
        examples: [
            Example("reelfs remux film.mkv film.mp4", "all that can go in"),
            Example("reelfs remux --faststart --srt film.mkv /srv/web/film.mp4", "for a web server, subtitles beside it"),
            Example("reelfs remux ~/Reel/cloud/film.ts film.mp4", "out of a mount"),
        ],
        withoutDaemon: "All of it.")

    static let probe = Command(
        name: "probe", summary: "say what a film is, and what an .mp4 of it will carry", operands: "FILE", operandCount: 1...1, operandKind: .file,
        flags: [Flag("full", "look through the whole file for damage, not only its first part"), json],
        details: ["Ends with status 5 when the film cannot become an MP4."],
        examples: [
            Example("reelfs probe film.mkv", "tracks, index, damage, and what goes into an MP4"),
            Example("reelfs probe --full --json film.ts", "for scripts: fields are only ever added"),
        ],
        withoutDaemon: "All of it.")

    static let subtitles = Command(
        name: "subtitles", summary: "write the text subtitles of a film as .srt files", operands: "FILE", operandCount: 1...1, operandKind: .file,
        flags: [Flag("to", value: "DIR", kind: .directory, "where to write (default: beside FILE)"), force],
        details: [
            "Each text track becomes NAME.LANG.srt, with .forced and a number where they are needed to tell tracks apart. Styling is left out. "
                + "Subtitles that are pictures cannot become text; they are named."
        ],
        examples: [Example("reelfs subtitles film.mkv", "film.en.srt, film.zh.srt … beside it")],
        withoutDaemon: "All of it.")
}
