internal import Codecs

/// What the start of a file says of it: its programs, the chosen one, and how its tracks begin.
package struct TransportHead: Sendable {
    /// Bytes from one packet to the next: 188, 192 or 204.
    package internal(set) var stride: Int
    /// All programs whose maps came, in the order of the association table.
    package var programs: [ProgramMap] { tables.programs }
    /// The first program with video, else the first with sound that is carried.
    package internal(set) var program: ProgramMap
    /// The tracks of `program` that are carried, with their configurations. A track whose frames did not come within the limit
    /// has none.
    package internal(set) var tracks: [TransportTrack]
    /// Streams of `program` that are known and not carried, or not known.
    package var omitted: [ElementaryStream] { program.streams.filter { !$0.isCarried } }
    /// The first DTS of the file: what times of a walk from another place are unwrapped next to.
    package internal(set) var firstTime: Int64?
    package internal(set) var damages: TransportDamageLog
    var tables: ProgramTables
    var latm: [Int: LATMStream]
}
