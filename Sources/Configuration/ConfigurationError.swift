/// Why the configuration could not be read or changed.
package struct ConfigurationError: Error, Hashable, Sendable {
    package enum Code: Hashable, Sendable {
        /// A value that cannot be.
        case invalid
        case notFound
        case exists
        /// A file or directory belongs to another user, or others may write to it.
        case unsafe
        case damaged
        /// A system call failed.
        case system(errno: Int32)
        /// A command for a password failed or took too long.
        case command
    }

    package var code: Code
    /// What is wrong, with the path where there is one. Never a secret.
    package var message: String
    /// What to do about it.
    package var advice: String?

    package init(_ code: Code, _ message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice
    }
}

extension ConfigurationError: CustomStringConvertible {
    package var description: String { advice.map { "\(message): \($0)" } ?? message }
}

/// Something in the configuration that needs a person's eye. It never keeps the other sources from working.
package struct ConfigurationProblem: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The file cannot be used; `advice` names the backup when there is one.
        case damaged
        /// The file was not read, because others could have written it.
        case unsafe
        /// The mode was too wide and has been corrected.
        case tightened
        case unknownKey
        case invalidValue
        case unreadable
    }

    package var kind: Kind
    package var path: String
    package var line: UInt32?
    package var message: String
    package var advice: String?

    package init(_ kind: Kind, path: String, line: UInt32? = nil, _ message: String, advice: String? = nil) {
        self.kind = kind
        self.path = path
        self.line = line
        self.message = message
        self.advice = advice
    }

    /// Whether something is not as the user wants it: `tightened` only tells.
    package var isFault: Bool { kind != .tightened }
}

extension ConfigurationProblem: CustomStringConvertible {
    package var description: String {
        let place = line.map { "\(path):\($0)" } ?? path
        return "\(place): \(message)" + (advice.map { " (\($0))" } ?? "")
    }
}
