import Vigil

/// What `vigil explain` prints of a region.
struct RegionReport {
    private let region: DatabaseRegion

    init(_ region: DatabaseRegion) {
        self.region = region
    }

    /// One line for each table, and the region.
    var text: String {
        if region.isFullDatabase { return "everything: any change of the database counts\nregion: \(region)" }
        if region.isEmpty { return "nothing: no change of the database counts\nregion: \(region)" }
        let lines = region.tables.map { table in
            let columns = table.columns.map { list("column", $0.sorted()) } ?? "all columns"
            let rows = table.rowIDs.map { list("row", $0.sorted().map(\.description)) } ?? "all rows"
            return "\(table.table): \(columns); \(rows)"
        }
        return (lines + ["region: \(region)"]).joined(separator: "\n")
    }

    private func list(_ noun: String, _ names: [String]) -> String {
        "\(noun)\(names.count == 1 ? "" : "s") \(names.joined(separator: ", "))"
    }

    /// One object. The tables are `"all"` for the full database.
    var json: String {
        let tables = region.tables.map { table in
            JSONText.object([
                ("schema", JSONText.string(table.table.schema)), ("name", JSONText.string(table.table.name)),
                (
                    "columns",
                    table.columns.map { JSONText.array($0.sorted().map(JSONText.string)) } ?? "\"all\""
                ),
                ("rows", table.rowIDs.map { JSONText.array($0.sorted().map(\.description)) } ?? "\"all\""),
            ])
        }
        return JSONText.object([
            ("region", JSONText.string(region.description)),
            ("tables", region.isFullDatabase ? "\"all\"" : JSONText.array(tables)),
        ])
    }
}
