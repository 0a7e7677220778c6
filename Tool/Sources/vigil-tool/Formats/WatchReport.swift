import Foundation
import Vigil

struct WatchReport: Sendable {
    /// The number of results before this one.
    let number: Int
    /// The time of the result, if it is printed.
    var time: String?
    let result: QueryResult
    /// The differences from the rows of the last report, if only these are printed.
    var changes: RowChanges?
    /// The difference to the list of the last report, if only this is printed.
    var patch: ListPatch?

    /// The rows to print as a table, with `-` or `+` in front of changed rows.
    var table: QueryResult {
        guard let changes else { return result }
        return QueryResult(
            columns: ["change"] + result.columns,
            rows: changes.deleted.map { ["-".databaseValue] + $0 }
                + changes.inserted.map { ["+".databaseValue] + $0 })
    }

    /// Returns a time as text, such as `2026-11-22T09:10:11.123Z`.
    static func text(of time: Date) -> String {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(time)
    }
}
