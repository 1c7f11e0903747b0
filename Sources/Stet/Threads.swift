internal import Glibc

/// Threads that run a piece of work side by side with the one that started them.
enum Threads {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts as many threads as there are processors besides this one's, or fewer where the system gives no more. Nobody
    /// waits for them: on a busy machine it takes longer for a thread to begin than for the work to be done without it.
    static func start(atMost limit: Int, _ body: @escaping @Sendable () -> Void) {
        for _ in 0..<min(limit, processors - 1) where !start(body) { return }
    }

    /// Starts a thread that nobody waits for. Returns false where the system gives none.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        var handle = pthread_t()
        let result = pthread_create(
            &handle, nil,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard result == 0 else {
            work.release()
            return false
        }
        pthread_detach(handle)
        return true
    }

    /// Lets the calling thread sleep, for less where a signal comes.
    static func sleep(seconds: Double) { usleep(UInt32(seconds * 1_000_000)) }

    /// How many processors this process may use.
    private static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
