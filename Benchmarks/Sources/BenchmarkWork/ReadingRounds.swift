public import BenchmarkReport

/// Reads all rows of a table some times, and holds what was read against what is in them.
public struct ReadingRounds {
    public let result: RoundResult

    /// - Parameter read: returns the checksum of all that it read. See ``Schema/checksum(rows:)``.
    public init(rows: Int, _ read: () throws -> Int64) throws {
        let expected = Schema.checksum(rows: rows)
        var times: [Double] = []
        for round in 0...3 {
            let start = now()
            let sum = try read()
            let time = now() - start
            guard sum == expected else { throw WorkError("read \(sum) instead of \(expected)") }
            // The first warms up.
            if round > 0 { times.append(Double(time) / Double(rows)) }
        }
        result = RoundResult(value: median(times) ?? 0, operations: rows * times.count)
    }
}
