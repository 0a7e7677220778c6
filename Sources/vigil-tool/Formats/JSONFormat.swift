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
        if let changes = report.changes {
            members += [("deleted", rows(changes.deleted)), ("inserted", rows(changes.inserted))]
        } else {
            members.append(("rows", rows(report.result.rows)))
        }
        return JSONText.object(members) + "\n"
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
