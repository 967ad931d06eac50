/// What a stream may make a parser hold or do. Everything above is damage, never memory.
package struct TransportLimits: Hashable, Sendable {
    /// One access unit with what follows it in its packet. Far above an I picture of 8K at 400 Mbit/s.
    package var unitBytes = 32 << 20
    /// Programs of a multiplex; each may have a PID of its own for its map. A satellite transponder has some twenty.
    package var programs = 128
    /// Elementary streams of one program.
    package var streams = 64
    /// Tracks over the whole file: maps that change may add some.
    package var tracks = 128
    /// Damages that are kept with their place; all are counted.
    package var damages = 100
    /// Bytes from the start in which the first packets must be found.
    package var garbageBytes: UInt64 = 4 << 20
    /// Bytes from the start in which the tables must come. Tables come every 100 ms to 500 ms.
    package var tableBytes: UInt64 = 16 << 20
    /// Bytes behind the first table in which all maps must have come, before the choice is made among those that have.
    package var mapBytes: UInt64 = 4 << 20
    /// Bytes from the start in which the tracks' first frames are looked for: half a minute of a broadcast in HD.
    package var headBytes: UInt64 = 64 << 20

    package init() {}
}
