internal import Glibc
internal import SourceAPI
internal import VirtualTree

/// The one table from failures to errno. There is no `default`, so that a new code has to be decided here.
///
/// read(2) documents little: what it does not name becomes EIO, and the log line says the rest. ESTALE is what network
/// file systems answer for another version, and programs know it.
enum ErrorNumber {
    static func of(_ code: TreeError.Code) -> CInt {
        switch code {
        case .source(let code): of(code)
        case .notFound: ENOENT
        case .notDirectory: ENOTDIR
        case .isDirectory: EISDIR
        case .stale: ESTALE
        case .readOnly: EROFS
        case .nameTooLong: ENAMETOOLONG
        case .invalid: EINVAL
        case .interrupted: EINTR
        case .noAttribute: ENODATA
        }
    }

    static func of(_ code: SourceError.Code) -> CInt {
        switch code {
        case .notFound: ENOENT
        case .denied, .loginRequired, .refused: EACCES
        case .linkExpired, .changedUpstream: ESTALE
        case .cancelled: EINTR
        case .throttled, .unreachable, .timedOut, .malformed, .sequentialOnly, .sizeUnknown, .unsupported: EIO
        }
    }

    /// Whether the failure is part of ordinary work: names that do not exist, callers that gave up.
    static func isOrdinary(_ code: TreeError.Code) -> Bool {
        switch code {
        case .notFound, .notDirectory, .isDirectory, .readOnly, .nameTooLong, .invalid, .interrupted, .noAttribute, .source(.cancelled): true
        case .stale, .source: false
        }
    }
}
