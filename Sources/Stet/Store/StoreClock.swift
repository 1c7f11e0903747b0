internal import Glibc

/// Where a store takes the time from that it shows for what happens. The order of things never depends on it.
public struct StoreClock: Sendable {
    /// The present moment.
    public let now: @Sendable () -> Timestamp

    /// A clock that answers with `now`.
    public init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    /// The system's clock.
    public static let system = StoreClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
