internal import Glibc

/// `reelfs _generate DIR`: writes what is checked in below `man/` and `completions/`.
enum GenerateCommand {
    /// Paths below the root of the sources, and their content.
    static func files() -> [(path: String, content: String)] {
        [
            ("man/reelfs.1", ManualWriter.program()),
            ("man/mount.reelfs.8", MountHelperManual.text()),
            ("completions/reelfs.bash", BashCompletion.text()),
            ("completions/_reelfs", ZshCompletion.text()),
            ("completions/reelfs.fish", FishCompletion.text()),
        ]
    }

    static func run(_ context: CommandContext) throws(CommandFailure) -> ExitCode {
        let root = context.absolute(context.arguments.operands[0])
        for directory in ["man", "completions"] { mkdir("\(root)/\(directory)", 0o755) }
        for file in files() {
            guard TextFile.write(file.content, to: "\(root)/\(file.path)") else {
                throw CommandFailure(.failure, "cannot write \(root)/\(file.path): \(String(cString: strerror(errno)))")
            }
        }
        return .success
    }
}
