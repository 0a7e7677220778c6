import VigilStorage

extension RowSelection {
    /// Returns how the rows of the result can be kept up to date one by one.
    ///
    /// The simulated SQL has no name for the row id, so the table needs a column that is one.
    func listPlan(_ form: SQLSelect, parameterCount: Int) -> ListPlanReport {
        guard case .columns = result else { return .refused("it has an aggregate") }
        guard form.limit == nil else { return .refused("it has LIMIT") }
        guard let key = table.rowIDColumn.map({ table.columns[$0].name }) else {
            return .refused("\(table.name.name) has no column for its row ids")
        }
        guard !table.name.name.isSameName(as: "sqlite_master") else {
            return .refused("\(table.name.name) is a table of the library")
        }
        let sortColumns = order.map { [table.columns[$0.column].name] } ?? []
        var columns = columnNames
        let keyColumns = ([key] + sortColumns).map { name in
            if let position = columns.firstIndex(of: name) { return position }
            columns.append(name)
            return columns.count - 1
        }
        let select =
            "SELECT \(columns.map(\.quotedSQLName).joined(separator: ", ")) FROM \(table.name.name.quotedSQLName) "
        let condition = form.conditionText.isEmpty ? "WHERE " : form.conditionText + " AND "
        return .plan(
            ListPlan(
                sql: select + form.conditionText + " " + form.orderText,
                sources: [
                    .init(
                        table.name,
                        rowSQL: select + condition + "\(key.quotedSQLName) = ?\(parameterCount + 1)")
                ],
                terms: order.map { [.init(isDescending: $0.isDescending)] } ?? [],
                termTexts: order.map { order in
                    ["\(table.columns[order.column].name) \(order.isDescending ? "descending" : "ascending")"]
                } ?? [],
                keyColumns: keyColumns, columnCount: columnNames.count, parameterCount: parameterCount))
    }
}
