#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Returns the nanoseconds of the system's monotonic clock.
///
/// All processes of the machine share this clock, so a process can compute the age of a time that another
/// process wrote into a database.
public func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Blocks the current thread. Returns immediately if the duration is not positive.
public func pause(nanoseconds: Int64) {
    guard nanoseconds > 0 else { return }
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var rest = timespec()
    // A signal ends `nanosleep` early.
    while nanosleep(&time, &rest) != 0 { time = rest }
}

/// The processor time that all threads of this process have used, in nanoseconds.
public func processorNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
