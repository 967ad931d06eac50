/// What the process tells who started it.
enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    /// It did not work, or (`doctor`, `cache verify`, `selftest`) something is wrong.
    case failure = 1
    /// The command line was not understood.
    case usage = 2
    /// The command needs a daemon and none runs.
    case notRunning = 3
    /// Some of what was asked worked, or (`selftest`) a server can be used with limits.
    case partial = 4
    /// The film cannot become an MP4.
    case refused = 5
    /// A mount could not be made (mount(8) uses the same number).
    case mountFailed = 32
    /// Ctrl-C (a shell says the same of a program that SIGINT ended).
    case interrupted = 130

    var meaning: String {
        switch self {
        case .success: "it worked"
        case .failure: "it did not work, or (doctor, cache verify, selftest) something is wrong"
        case .usage: "the command line was not understood"
        case .notRunning: "reelfs is not running"
        case .partial: "some of what was asked for worked, or (selftest) the server can be used with limits"
        case .refused: "the film cannot become an MP4 (remux, probe)"
        case .mountFailed: "a mount could not be made"
        case .interrupted: "stopped by Ctrl-C"
        }
    }
}
