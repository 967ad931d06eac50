/// The version of the program, as `--version`, `status` and the greeting of the daemon tell it.
package enum ProgramVersion {
    package static let text = "0.1.0"
}
