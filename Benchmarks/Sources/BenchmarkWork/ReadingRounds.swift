public import BenchmarkReport

/// Reads all rows of a table several times, and verifies their checksum.
public struct ReadingRounds {
    /// The nanoseconds per row of the median read, as the result of a round.
    public let result: RoundResult

    /// Measures reads of all rows.
    ///
    /// - Parameter read: a closure that reads all rows and returns their checksum. See ``Schema/checksum(rows:)``.
    /// - Throws: ``WorkError`` if a checksum is wrong.
    public init(rows: Int, _ read: () throws -> Int64) throws {
        let expected = Schema.checksum(rows: rows)
        var times: [Double] = []
        for round in 0...3 {
            let start = now()
            let sum = try read()
            let time = now() - start
            guard sum == expected else { throw WorkError("wrong checksum \(sum) instead of \(expected)") }
            // The first read warms up.
            if round > 0 { times.append(Double(time) / Double(rows)) }
        }
        result = RoundResult(value: median(times) ?? 0, operations: rows * times.count)
    }
}
