import Vigil

/// The output of `vigil explain`: the region of a query, and the conditions on its rows.
struct RegionReport {
    private let region: DatabaseRegion
    private var conditions: [TableName: [String]] = [:]
    private var order: ResultOrder?
    private var omissions: [RowConditionReport.Omission] = []
    private var list: ListReport?
    private var groups: GroupReport?
    /// Whether each commit counts, because a server does not report all changes by table.
    private var isAnyCommit = false

    init(_ region: DatabaseRegion) {
        self.region = region
    }

    init(_ explanation: ObservationExplanation) {
        region = explanation.region
        conditions = explanation.conditions
        order = explanation.order
        omissions = explanation.omissions
        list = ListReport(explanation.list)
        groups = GroupReport(
            explanation.groups, list: explanation.list, keepsRows: explanation.keepsRows)
        isAnyCommit = explanation.isAnyCommit
    }

    private static let serverNote = """
        changes: every commit on the server, because not all changes of what is read are reported by table; a result that \
        is the same as before is not delivered again
        """

    /// One line for each table, one for the region, one for the list of the rows, and one for each part of
    /// the query without influence on the region.
    var text: String {
        (tableLines + ["region: \(region)"] + (isAnyCommit ? [Self.serverNote] : [])
            + (list.map { [$0.text] } ?? []) + (groups.map { [$0.text] } ?? [])
            + omissions.map { "left out: \($0.text) (\($0.reason))" })
            .map { TerminalText.safe($0) }
            .joined(separator: "\n")
    }

    private var tableLines: [String] {
        if region.isFullDatabase { return ["everything: any change of the database counts"] }
        if region.isEmpty { return ["nothing: no change of the database counts"] }
        return region.tables.map { table in
            let columns = table.columns.map { list("column", $0.sorted()) } ?? "all columns"
            let bound = bound(of: table).map { "; bounded by the last row: \($0)" } ?? ""
            return "\(table.table): \(columns); \(rows(of: table))\(bound)"
        }
    }

    /// Returns the condition of the rows up to the last one that is read.
    private func bound(of table: TableRegion) -> String? {
        order.flatMap { $0.table == table.table ? $0.text : nil }
    }

    private func rows(of table: TableRegion) -> String {
        let rows = table.rowIDs.map { list("row", $0.sorted().map(\.description)) }
        guard let predicates = conditions[table.table] else { return rows ?? "all rows" }
        return "\(rows ?? "rows") where \(predicates.joined(separator: " AND "))"
    }

    private func list(_ noun: String, _ names: [String]) -> String {
        "\(noun)\(names.count == 1 ? "" : "s") \(names.joined(separator: ", "))"
    }

    /// One JSON object. Its `tables` are `"all"` for the full database.
    var json: String {
        JSONText.object(
            (isAnyCommit ? [("changes", JSONText.string("any commit"))] : []) + [
                ("region", JSONText.string(region.description)),
                ("tables", region.isFullDatabase ? "\"all\"" : JSONText.array(region.tables.map(json))),
                (
                    "leftOut",
                    JSONText.array(
                        omissions.map {
                            JSONText.object([
                                ("text", JSONText.string($0.text)), ("reason", JSONText.string($0.reason)),
                            ])
                        })
                ),
            ] + (list.map { [("list", $0.json)] } ?? []) + (groups.map { [("groups", $0.json)] } ?? []))
    }

    private func json(_ table: TableRegion) -> String {
        let bound = bound(of: table).map { [("bound", JSONText.string($0))] } ?? []
        return JSONText.object(
            [
                ("schema", JSONText.string(table.table.schema)), ("name", JSONText.string(table.table.name)),
                (
                    "columns",
                    table.columns.map { JSONText.array($0.sorted().map(JSONText.string)) } ?? "\"all\""
                ),
                ("rows", table.rowIDs.map { JSONText.array($0.sorted().map(\.description)) } ?? "\"all\""),
                ("predicates", JSONText.array((conditions[table.table] ?? []).map(JSONText.string))),
            ] + bound)
    }
}
