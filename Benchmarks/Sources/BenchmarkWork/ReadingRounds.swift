public import BenchmarkReport

/// Reads all rows of a table several times, and verifies their checksum.
///
/// Reads for at most two seconds after the first one: a slow engine is measured with one or two reads.
public struct ReadingRounds {
    /// The nanoseconds per row of the median read, as the result of a round.
    public let result: RoundResult

    /// Measures reads of all rows.
    ///
    /// - Parameter read: a closure that reads all rows and returns their checksum. See
    ///   ``Schema/checksum(rows:)``.
    /// - Throws: ``WorkError`` if a checksum is wrong.
    public init(rows: Int, _ read: () throws -> Int64) throws {
        let expected = Schema.checksum(rows: rows)
        var times: [Double] = []
        var elapsed: Int64 = 0
        for round in 0...3 where elapsed < 2_000_000_000 {
            let start = now()
            let sum = try read()
            let time = now() - start
            guard sum == expected else { throw WorkError("wrong checksum \(sum) instead of \(expected)") }
            // The first read warms up.
            guard round > 0 else { continue }
            times.append(Double(time) / Double(rows))
            elapsed += time
        }
        result = RoundResult(value: median(times) ?? 0, operations: rows * times.count)
    }
}
