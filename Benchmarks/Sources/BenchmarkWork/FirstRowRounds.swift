public import BenchmarkReport

/// Reads the first row of a large result several times.
public struct FirstRowRounds {
    /// The nanoseconds to the first row, in the median read.
    public let result: RoundResult

    /// Measures reads, of which the first one is part of the figures.
    ///
    /// - Parameter read: a closure that calls its argument when it has the first row, and then ends the
    ///   query.
    public init(_ read: (_ didReadRow: () -> Void) throws -> Void) rethrows {
        let peak = ProcessMemory.peakBytes
        var (times, ends): ([Double], [Double]) = ([], [])
        var elapsed: Int64 = 0
        while times.count < 5, elapsed < 2_000_000_000 {
            let start = now()
            try read { times.append(Double(now() - start)) }
            let time = now() - start
            ends.append(Double(time))
            elapsed += time
        }
        result = RoundResult(
            value: median(times) ?? 0, operations: ends.count,
            metrics: [
                Metric.endOfQuery: median(ends) ?? 0,
                Metric.bytesOfFirstRow: Double(ProcessMemory.peakBytes - peak),
            ])
    }
}
