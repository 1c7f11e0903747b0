internal import Glibc

/// Threads that run one piece of work side by side with the one that started them.
struct Threads {
    private var handles: [pthread_t] = []

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts `count` threads; fewer where the system gives no more.
    init(_ count: Int, _ body: @escaping @Sendable () -> Void) {
        for _ in 0..<count {
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
                return
            }
            handles.append(handle)
        }
    }

    /// Waits for their end.
    func join() {
        for handle in handles { pthread_join(handle, nil) }
    }

    /// How many processors this process may use.
    static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
