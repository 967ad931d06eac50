internal import Glibc

/// Where a user's files belong (XDG Base Directory Specification). Relative values of the variables are ignored, as it says.
package struct StandardDirectories: Hashable, Sendable {
    package var home: String?
    /// `$XDG_CONFIG_HOME/reelfs`, default `~/.config/reelfs`.
    package var configuration: String
    /// `$XDG_CACHE_HOME/reelfs`, default `~/.cache/reelfs`.
    package var cache: String
    /// `$XDG_STATE_HOME/reelfs`, default `~/.local/state/reelfs`: logs of daemons in the background.
    package var state: String

    /// Without HOME the home of the user database counts.
    package init(environment: [String: String]) {
        let home = Self.absolute(environment["HOME"]) ?? Self.homeOfUser()
        self.home = home
        let base = home ?? "/nonexistent"
        configuration = (Self.absolute(environment["XDG_CONFIG_HOME"]) ?? base + "/.config") + "/reelfs"
        cache = (Self.absolute(environment["XDG_CACHE_HOME"]) ?? base + "/.cache") + "/reelfs"
        state = (Self.absolute(environment["XDG_STATE_HOME"]) ?? base + "/.local/state") + "/reelfs"
    }

    private static func absolute(_ text: String?) -> String? { text.flatMap { $0.hasPrefix("/") ? $0 : nil } }

    private static func homeOfUser() -> String? {
        var record = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(geteuid(), &record, &buffer, buffer.count, &found) == 0, found != nil, let directory = record.pw_dir else { return nil }
        return absolute(String(cString: directory))
    }
}
