public import BenchmarkReport

/// Saves all rows of a table in one transaction, several times.
///
/// Saves for at most two seconds after the first transaction: a slow engine is measured with one or two of
/// them.
public struct SavingRounds {
    /// The nanoseconds per row of the median transaction, as the result of a round.
    public let result: RoundResult

    /// Measures transactions.
    ///
    /// - Parameter save: a closure that empties the table, saves all rows, and returns the nanoseconds of
    ///   saving them.
    public init(rows: Int, _ save: () throws -> Int64) throws {
        var times: [Double] = []
        var elapsed: Int64 = 0
        for round in 0...3 where elapsed < 2_000_000_000 {
            let time = try save()
            // The first transaction warms up.
            guard round > 0 else { continue }
            times.append(Double(time) / Double(rows))
            elapsed += time
        }
        result = RoundResult(value: median(times) ?? 0, operations: rows * times.count)
    }
}
