public import BenchmarkReport

/// Measures two forms of an operation in turn, so that a change of the machine's speed affects both alike.
public struct PairedLoop: Sendable {
    /// The measurements of the first form.
    public let result: RoundResult

    /// Runs blocks of about half a millisecond of each form in turn, and then times each operation of the
    /// first form.
    ///
    /// - Parameters:
    ///   - operation: the first form. It receives the number of its previous operations.
    ///   - prepared: the same with a prepared statement. Not run for a profile, which would contain both.
    public init(
        _ effort: Effort, _ operation: (Int) throws -> Void, prepared: (Int) throws -> Void
    ) rethrows {
        if effort.isProfile {
            let loop = try TimedLoop(effort, after: 0, operation: operation)
            result = RoundResult(value: loop.nanoseconds, operations: loop.operations)
            return
        }
        _ = try TimedLoop.warmUp(effort, operation: operation)
        _ = try TimedLoop.warmUp(effort, operation: prepared)
        var (first, second) = (Blocks(), Blocks())
        let end = now() + Int64(effort.seconds * 1e9)
        while first.operations < effort.operations, now() < end {
            try first.run(atMost: effort.operations - first.operations, operation)
            try second.run(atMost: effort.operations, prepared)
        }
        let latencies = try TimedLoop.latencies(effort, after: first.operations, operation)
        let ratio = Spread(ofRatios: first.times, over: second.times)
        result = RoundResult(
            value: median(first.times) ?? 0, operations: first.operations + latencies.count,
            latencies: latencies,
            metrics: [
                Metric.prepared: median(second.times) ?? 0, Metric.ratioToPrepared: ratio?.median ?? 0,
            ])
    }
}

/// The times of blocks of operations.
private struct Blocks {
    private var size = 1
    private(set) var operations = 0
    /// The nanoseconds per operation of each block.
    private(set) var times: [Double] = []

    mutating func run(atMost limit: Int, _ operation: (Int) throws -> Void) rethrows {
        let count = min(size, limit)
        let start = now()
        for number in operations..<operations + count { try operation(number) }
        let time = now() - start
        operations += count
        times.append(Double(time) / Double(count))
        if time < 250_000 { size *= 2 }
    }
}
