import Foundation
import Vigil

/// One JSON object per line for each result: `{"n":0,"rows":[{"name":"Ada","score":41}]}`.
struct JSONFormat: RowFormat {
    let separator = ""

    func text(_ report: WatchReport) -> String {
        let columns = report.result.uniqueColumns
        func rows(_ rows: [[DatabaseValue]]) -> String {
            JSONText.array(rows.map { JSONText.object(zip(columns, $0.map(value))) })
        }
        var members = [("n", "\(report.number)")]
        if let time = report.time { members.append(("time", JSONText.string(time))) }
        if let patch = report.patch {
            members += self.members(patch)
        } else if let list = report.result.list {
            members.append(("rows", JSONText.array(list.map(object))))
        } else if let changes = report.changes {
            members += [("deleted", rows(changes.deleted)), ("inserted", rows(changes.inserted))]
        } else {
            members.append(("rows", rows(report.result.rows)))
        }
        return JSONText.object(members) + "\n"
    }

    /// The offsets of removed rows, and the old offsets of moved ones, refer to the last report, all others
    /// to this one.
    private func members(_ patch: ListPatch) -> [(String, String)] {
        func offsets(_ set: RangeSet<Int>) -> [Int] { Array(set.ranges.joined()) }
        func rows(_ set: RangeSet<Int>) -> String {
            JSONText.array(
                offsets(set).map { JSONText.object([("at", "\($0)"), ("row", object(patch.rows[$0]))]) })
        }
        let moves = patch.change.moved.map {
            JSONText.object([("from", "\($0.from)"), ("to", "\($0.to)")])
        }
        return [
            ("removed", JSONText.array(offsets(patch.change.removed).map { "\($0)" })),
            ("moved", JSONText.array(moves)), ("inserted", rows(patch.change.inserted)),
            ("updated", rows(patch.change.updated)),
        ]
    }

    private func object(_ row: Row) -> String {
        JSONText.object(zip(QueryResult.unique(Array(row.columnNames)), row.databaseValues.map(value)))
    }

    private func value(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .null: "null"
        case .int64(let integer): "\(integer)"
        case .double(let real): JSONText.real(real)
        case .string(let text): JSONText.string(text)
        case .blob(let data): JSONText.object([("base64", JSONText.string(data.base64EncodedString()))])
        }
    }
}
