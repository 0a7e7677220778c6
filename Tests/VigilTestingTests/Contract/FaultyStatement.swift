import VigilStorage

/// A statement with a planted bug.
final class FaultyStatement: StorageStatement {
    private let base: any StorageStatement
    private let bug: PlantedBug
    private let connection: FaultyConnection
    private var stepCount = 0
    private var hasEnded = false
    private var failure: StorageError?

    init(_ base: any StorageStatement, _ bug: PlantedBug, _ connection: FaultyConnection) {
        self.base = base
        self.bug = bug
        self.connection = connection
    }

    var sql: String { base.sql }
    var parameterCount: Int { bug == .countsNoParameters ? 0 : base.parameterCount }
    var columnNames: [String] { bug == .hidesColumnNames ? [] : base.columnNames }
    var row: StorageRow { base.row }
    var expandedSQL: String { bug == .hidesBindings ? base.sql : base.expandedSQL }

    var access: StatementAccess {
        var access = base.access
        switch bug {
        case .saysNothingAboutItself: return StatementAccess()
        case .hidesReadColumns:
            for index in access.reads.indices { access.reads[index].columns = [] }
        default: break
        }
        return access
    }

    var rowConditions: RowConditionReport {
        func report(_ column: String, _ test: RowConditionTemplate.Test) -> RowConditionReport {
            var report = RowConditionReport()
            let condition = RowConditionTemplate(.named(column), test, affinity: .numeric)
            report.tables = base.access.reads.map { TableConditions($0.table, alternatives: [[condition]]) }
            return report
        }
        let ten = RowConditionTemplate.Operand.value(.integer(10))
        switch bug {
        case .inventsConditions:
            return report("score", .range(lower: .init(ten, isIncluded: false), upper: nil))
        case .inventsColumns: return report("level", .isNotNull)
        case .keepsOldConditions where base.sql.hasSuffix("score = 10"): return report("score", .oneOf([ten]))
        default: return base.rowConditions
        }
    }

    var listPlan: ListPlanReport {
        guard case .plan(var plan) = base.listPlan else {
            return bug == .plansLimitedResults && base.sql.hasSuffix(" LIMIT 2")
                ? limitedPlan : base.listPlan
        }
        switch bug {
        case .plansInAnotherOrder:
            plan.terms = plan.terms.map { .init(collation: $0.collation, isDescending: !$0.isDescending) }
        case .plansFindNoRows:
            for index in plan.sources.indices { plan.sources[index].rowSQL? += " AND score < -1" }
        default: break
        }
        return .plan(plan)
    }

    /// A plan of `SELECT name FROM player ORDER BY score LIMIT 2`, which has none.
    private var limitedPlan: ListPlanReport {
        let select = "SELECT name, id, score FROM player"
        let player = ListPlan.Source(TableName(name: "player"), rowSQL: select + " WHERE id = ?1")
        return .plan(
            ListPlan(
                sql: select + " ORDER BY score LIMIT 2", sources: [player], terms: [.init()], columnCount: 1,
                parameterCount: 0))
    }

    var accessRevision: Int { bug == .keepsOldConditions ? 0 : base.accessRevision }

    var isReusable: Bool { bug == .reusesDefinitions || base.isReusable }

    // MARK: Parameters

    func parameterName(at index: Int) -> String? { base.parameterName(at: index) }

    func bind(_ value: StorageValue, at index: Int) throws(StorageError) {
        let isConfused = bug == .confusesEmptyBlobWithNull && value == .blob([])
        do throws(StorageError) {
            try base.bind(isConfused ? .null : value, at: index)
        } catch {
            if bug != .ignoresBadIndexes || error.code != .range { throw error }
        }
    }

    func clearBindings() { base.clearBindings() }

    // MARK: Running

    func step() throws(StorageError) -> Bool {
        connection.willStep(self)
        if let failure { throw failure }
        if bug == .staysAtItsEnd, hasEnded { return false }
        if bug == .forgetsSavepoints, case .rollbackTo? = access.transactionEffect { return false }
        do throws(StorageError) {
            let hasRow = try bug == .runsAgainAtEachStep ? stepFromTheBeginning() : stepBase()
            hasEnded = !hasRow
            return hasRow
        } catch {
            return try answer(to: error)
        }
    }

    private func answer(to error: StorageError) throws(StorageError) -> Bool {
        switch bug {
        case .swallowsConstraints where error.code.primary == .constraint: return false
        case .keepsFailing: failure = error
        case .explainsNoErrors: throw StorageError(error.code, "")
        default: break
        }
        throw error
    }

    private func stepBase() throws(StorageError) -> Bool {
        let result = ReplaceFlag.$isReplacing.withValue(sql.contains("OR REPLACE")) {
            Result { () throws(StorageError) -> Bool in try base.step() }
        }
        return try result.get()
    }

    private func stepFromTheBeginning() throws(StorageError) -> Bool {
        guard !columnNames.isEmpty else { return try base.step() }
        base.reset()
        stepCount += 1
        for _ in 0..<stepCount {
            guard try base.step() else {
                stepCount = 0
                return false
            }
        }
        return true
    }

    func reset() {
        if bug == .ignoresReset { return }
        base.reset()
        stepCount = 0
        hasEnded = false
        if bug == .clearsBindingsAtReset { base.clearBindings() }
    }

    func finalize() { base.finalize() }
}

/// Whether the running statement is a REPLACE.
enum ReplaceFlag {
    @TaskLocal static var isReplacing = false
}
