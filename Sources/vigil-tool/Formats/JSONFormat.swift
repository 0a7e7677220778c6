import Foundation
import Vigil

/// One JSON object per line for each result: `{"n":0,"rows":[{"name":"Ada","score":41}]}`.
struct JSONFormat: RowFormat {
    let separator = ""

    func text(_ result: QueryResult, number: Int) -> String {
        let columns = result.uniqueColumns
        let rows = result.rows.map { JSONText.object(zip(columns, $0.map(value))) }
        return JSONText.object([("n", "\(number)"), ("rows", JSONText.array(rows))]) + "\n"
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
