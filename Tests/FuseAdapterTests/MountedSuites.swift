import Testing

/// All tests that mount, one after another: they share the kernel, and some drop its caches.
@Suite("Mounted", .serialized, .enabled(if: Mounting.isPossible, Mounting.reason))
enum MountedSuites {}
