public import BenchmarkReport

/// Does the same again and again, and measures it twice over: as a whole, without a clock in between, and then one by
/// one, for the distribution of latencies. What takes so long that the clock costs nothing is measured one by one only.
public struct TimedLoop: Sendable {
    public private(set) var operations = 0
    /// The time of an operation in the median block of the loop without a clock: a block in which the system ran others
    /// says nothing about this work. What happens seldom is in the latencies.
    public private(set) var nanoseconds = 0.0
    public private(set) var latencies = LatencyHistogram()

    /// - Parameters:
    ///   - warmUp: how long an operation took before. See ``warmUp(_:operation:)``.
    ///   - operation: gets the number of operations before it.
    public init(_ effort: Effort, after warmUp: Int64, operation: (Int) throws -> Void) rethrows {
        if warmUp < 1_000_000 {
            try measureWhole(effort, operation)
            try measureEach(effort, operation)
        } else {
            try measureEach(effort, operation)
            nanoseconds = latencies.percentile(50) ?? 0
        }
    }

    /// Does it some times: at least once, and not for long.
    ///
    /// - Returns: the nanoseconds of the last time.
    public static func warmUp(_ effort: Effort, operation: (Int) throws -> Void) rethrows -> Int64 {
        var time = now()
        let end = time + 50_000_000
        var last: Int64 = 0
        var number = 0
        while number < effort.operations, time < end {
            try operation(number)
            number += 1
            last = now() - time
            time += last
        }
        return last
    }

    /// In blocks of about a millisecond, between which the clock is read.
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
        let last = operations + effort.operations
        var time = now()
        let end = time + Int64(effort.seconds * 1e9 / 2)
        while operations < last, time < end {
            try operation(operations)
            operations += 1
            let after = now()
            latencies.record(after - time)
            time = after
        }
    }
}
