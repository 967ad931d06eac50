import CLinux
import Glibc

/// Everything that would write to a mount that has `file` and `dir`, each with its errno.
enum WriteAttempts {
    static func errors(at path: String) -> [String: CInt] {
        [
            "open": failure { Int(open("\(path)/file", O_RDWR)) },
            "append": failure { Int(open("\(path)/file", O_WRONLY | O_APPEND)) },
            "truncate": failure { Int(truncate("\(path)/file", 0)) },
            "create": failure { Int(open("\(path)/new", O_WRONLY | O_CREAT, 0o644)) },
            "mkdir": failure { Int(mkdir("\(path)/newdir", 0o755)) },
            "unlink": failure { Int(unlink("\(path)/file")) },
            "rmdir": failure { Int(rmdir("\(path)/dir")) },
            "rename": failure { Int(rename("\(path)/file", "\(path)/other")) },
            "link": failure { Int(link("\(path)/file", "\(path)/other")) },
            "symlink": failure { Int(symlink("file", "\(path)/other")) },
            "mknod": failure { Int(mknod("\(path)/node", S_IFREG | 0o644, 0)) },
            "chmod": failure { Int(chmod("\(path)/file", 0o600)) },
            "chown": failure { Int(chown("\(path)/file", 1, 1)) },
            "utimes": failure { Int(utimes("\(path)/file", nil)) },
            "setxattr": failure { Int(setxattr("\(path)/file", "user.x", "y", 1, 0)) },
            "removexattr": failure { Int(removexattr("\(path)/file", "user.x")) },
        ]
    }
}
