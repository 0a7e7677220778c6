import VigilLists
import VigilRegions
import VigilStorage

/// The statements that find the rows that changed rows of linked tables belong to, on one connection.
final class LinkSearch {
    private let links: [ListPlan.Link]
    private let statements: [Statement]
    private let sourceCount: Int
    /// The columns whose values are needed.
    let columns: LinkedColumns

    /// Returns `nil` for a plan without links.
    init?(_ plan: ListPlan, _ db: Database) throws {
        if plan.links.isEmpty { return nil }
        links = plan.links
        statements = try plan.links.map { try db.makeStatement(sql: $0.sql, isCached: true) }
        sourceCount = plan.sources.count
        columns = LinkedColumns(plan.links)
    }

    /// Returns the rows that changed rows lead to.
    ///
    /// - Parameters:
    ///   - numbers: the links to follow.
    ///   - costLimit: the cost after which the search ends.
    func rows(after changes: ChangeSet, by numbers: [Int], costLimit: Int) throws -> LinkedRows {
        var rows = LinkedRows()
        var costLimit = costLimit
        for number in numbers {
            let link = links[number]
            guard let tableChanges = changes[link.table] else { continue }
            guard let values = tableChanges.values(of: link.column) else {
                rows.unknownTable = link.table
                return rows
            }
            if rows.rowIDs.isEmpty { rows.rowIDs = Array(repeating: [], count: sourceCount) }
            let statement = statements[number]
            _ = statement.storage.resetWork()
            var cost = 0
            for value in values {
                let arguments = StatementArguments(databaseValues: [DatabaseValue(value)])
                try statement.forEachRow(arguments: arguments) { row in
                    rows.rowIDs[link.source].insert(row.cells[0].integer)
                    return true
                }
                cost += statement.storage.resetWork() ?? 0
                if cost > costLimit || rows.rowIDs[link.source].count > ListMachine.rowLimit {
                    rows.isIncomplete = true
                    return rows
                }
            }
            costLimit -= cost
            rows.costs[number] = cost / max(1, values.count)
        }
        return rows
    }
}
