public import BenchmarkReport

/// Repeats an operation and measures it in two loops.
///
/// The first loop runs blocks of operations without reading the clock in between. The second times each
/// operation, for the distribution of latencies. Operations of at least a millisecond, compared with which
/// the clock costs nothing, run only in the second loop.
public struct TimedLoop: Sendable {
    /// The number of operations in both loops.
    public private(set) var operations = 0
    /// The time per operation, in nanoseconds, in the median block of the first loop.
    ///
    /// Blocks in which the system ran other programs do not affect it. Rare events are part of ``latencies``.
    public private(set) var nanoseconds = 0.0
    /// The latencies of the operations of the second loop.
    public private(set) var latencies = LatencyHistogram()

    /// Runs both loops.
    ///
    /// - Parameters:
    ///   - warmUp: the nanoseconds that an operation took before. See ``warmUp(_:operation:)``.
    ///   - operation: a closure that receives the number of previous operations.
    public init(_ effort: Effort, after warmUp: Int64, operation: (Int) throws -> Void) rethrows {
        if warmUp < 1_000_000 || effort.isProfile {
            try measureWhole(effort, operation)
            try measureEach(effort, operation)
        } else {
            try measureEach(effort, operation)
            nanoseconds = latencies.percentile(50) ?? 0
        }
    }

    /// The measurements of a single operation that took too long to be repeated.
    public init(single nanoseconds: Int64) {
        (operations, self.nanoseconds) = (1, Double(nanoseconds))
        latencies.record(nanoseconds)
    }

    /// Runs the operation at least once, and for at most 50 milliseconds; for a profile 20 times, because the
    /// number of operations must not depend on time.
    ///
    /// - Returns: the nanoseconds of the last operation.
    public static func warmUp(_ effort: Effort, operation: (Int) throws -> Void) rethrows -> Int64 {
        var time = now()
        let end = effort.isProfile ? .max : time + 50_000_000
        let limit = effort.isProfile ? 20 : effort.operations
        var last: Int64 = 0
        var number = 0
        while number < limit, time < end {
            try operation(number)
            number += 1
            last = now() - time
            time += last
        }
        return last
    }

    /// Measures blocks of about a millisecond.
    private mutating func measureWhole(_ effort: Effort, _ operation: (Int) throws -> Void) rethrows {
        let start = now()
        let end = start + Int64(effort.seconds * 1e9 / 2)
        var block = 1
        var time = start
        var times: [Double] = []
        while operations < effort.operations, time < end {
            let count = min(block, effort.operations - operations)
            for _ in 0..<count {
                try operation(operations)
                operations += 1
            }
            let elapsed = now() - time
            time += elapsed
            times.append(Double(elapsed) / Double(count))
            if elapsed < 500_000 { block *= 2 }
        }
        nanoseconds = median(times) ?? 0
    }

    private mutating func measureEach(_ effort: Effort, _ operation: (Int) throws -> Void) rethrows {
        latencies = try TimedLoop.latencies(effort, after: operations, operation)
        operations += latencies.count
    }

    /// Runs the second loop and returns its latencies.
    static func latencies(
        _ effort: Effort, after operations: Int, _ operation: (Int) throws -> Void
    ) rethrows -> LatencyHistogram {
        var latencies = LatencyHistogram()
        var number = operations
        var time = now()
        let end = time + Int64(effort.seconds * 1e9 / 2)
        while number < operations + effort.operations, time < end {
            try operation(number)
            number += 1
            let after = now()
            latencies.record(after - time)
            time = after
        }
        return latencies
    }
}
