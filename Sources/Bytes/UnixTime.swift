/// Whole seconds since 1970-01-01T00:00:00Z, as origins state times of modification.
package struct UnixTime: Hashable, Comparable, Sendable {
    package let seconds: Int64

    package init(seconds: Int64) { self.seconds = seconds }

    package static func < (left: UnixTime, right: UnixTime) -> Bool { left.seconds < right.seconds }
}
