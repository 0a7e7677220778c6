#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Nanoseconds of the system's monotonic clock, which all processes of the machine share: a moment that one of them
/// wrote into a database can be held against another's.
public func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Lets time pass. Consumers that take their time, and requests that are not due yet, need it.
public func pause(nanoseconds: Int64) {
    guard nanoseconds > 0 else { return }
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var rest = timespec()
    // A signal may cut it short.
    while nanosleep(&time, &rest) != 0 { time = rest }
}
