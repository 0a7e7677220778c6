public import BenchmarkReport

/// Saves all rows of a table in one transaction, several times.
public struct SavingRounds {
    /// The nanoseconds per row of the median transaction, as the result of a round.
    public let result: RoundResult

    /// Measures transactions.
    ///
    /// - Parameter save: a closure that empties the table, saves all rows, and returns the nanoseconds of saving them.
    public init(rows: Int, _ save: () throws -> Int64) throws {
        var times: [Double] = []
        for round in 0...3 {
            let time = try save()
            // The first transaction warms up.
            if round > 0 { times.append(Double(time) / Double(rows)) }
        }
        result = RoundResult(value: median(times) ?? 0, operations: rows * times.count)
    }
}
