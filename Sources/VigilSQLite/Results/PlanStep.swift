import VigilStorage

/// A step of a query plan.
struct PlanStep {
    let detail: String
    let isInNestedQuery: Bool
}

extension SQLiteConnection {
    func planSteps(of sql: String) throws(StorageError) -> [PlanStep] {
        // The steps of nested queries have another parent, or another number in old libraries.
        let level = library.versionNumber < 3_024_000 ? 0 : 1
        return try query("EXPLAIN QUERY PLAN \(sql)").map { step in
            PlanStep(
                detail: step.last?.text ?? "",
                isInNestedQuery: step.count > level && step[level] != .integer(0))
        }
    }
}
