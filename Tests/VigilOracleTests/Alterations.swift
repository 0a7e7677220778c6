import Foundation
import VigilStorage

extension Alteration {
    // MARK: - Less knowledge

    /// Drops the conditions on rows.
    static let withoutConditions = Alteration(conditions: { _ in RowConditionReport() })

    /// Drops the conditions and the values of changed rows, and keeps tables, columns and row ids.
    static let columnsOnly = Alteration(
        event: { event, _ in event.withImages { _ in nil } }, conditions: { _ in RowConditionReport() })

    // MARK: - Mistakes

    static let losesEveryTenthChange = Alteration(event: { event, number in number % 10 == 0 ? nil : event })

    /// Replaces the old values of updated rows by the new ones.
    static let ignoresOldValues = Alteration(event: { event, _ in
        event.withImages { $0.map { OneSidedImages($0) } }
    })

    static let forgetsTheLastAlternative = Alteration(conditions: { report in
        var report = report
        for index in report.tables.indices where report.tables[index].alternatives.count > 1 {
            report.tables[index].alternatives.removeLast()
        }
        return report
    })

    static let forgetsTheLastOfAList = Alteration(conditions: { report in
        report.mapTests { test in
            guard case .oneOf(let operands) = test, operands.count > 1 else { return test }
            return .oneOf(operands.dropLast())
        }
    })

    static let excludesBounds = Alteration(conditions: { report in
        report.mapTests { test in
            guard case .range(var lower, var upper) = test else { return test }
            lower?.isIncluded = false
            upper?.isIncluded = false
            return .range(lower: lower, upper: upper)
        }
    })

    static let forgetsAffinities = Alteration(conditions: { report in
        report.map { $0.affinity = .none }
    })

    static let forgetsAColumn = Alteration(access: { access in
        var access = access
        for index in access.reads.indices {
            if let last = access.reads[index].columns?.max() { access.reads[index].columns?.remove(last) }
        }
        return access
    })

    /// Ignores the new row ids of updated rows.
    static let forgetsNewKeys = Alteration(event: { event, _ in
        guard case .row(let row) = event, row.kind == .update else { return event }
        return .row(
            RowChange(
                table: row.table, kind: .update, oldKey: row.oldKey, newKey: row.oldKey, images: row.images))
    })

    /// Treats released savepoints as rolled back.
    static let takesReleasesForRollbacks = Alteration(effect: { effect in
        if case .release(let name) = effect { .rollbackTo(name) } else { effect }
    })
}

extension Alteration {
    // MARK: - Mistakes in plans of results

    static let forgetsWatchedTables = Alteration(plan: { plan in
        var plan = plan
        plan.watched = []
        return plan
    })

    /// Looks up the changed rows of tables on the right of a LEFT JOIN.
    static let followsOptionalTables = Alteration(plan: { plan in
        var plan = plan
        guard let place = plan.sources.firstIndex(where: \.isOptional),
            let text = plan.sources.lazy.compactMap(\.rowSQL).first,
            let end = text.range(of: " = ?", options: .backwards),
            let column = plan.sql.range(of: " AS \"vigil.\(plan.keyColumns[place] - plan.columnCount + 1)\"")
        else { return plan }
        let rowID = plan.sql[..<column.lowerBound].components(separatedBy: ", ").last ?? ""
        let start = text[..<end.lowerBound].range(of: " ", options: .backwards)
        plan.sources[place].rowSQL =
            text[..<(start?.upperBound ?? text.startIndex)] + rowID + text[end.lowerBound...]
        plan.watched.removeAll { $0.reason.contains("LEFT JOIN") }
        return plan
    })

    static let ignoresCase = Alteration(plan: { plan in
        var plan = plan
        plan.terms = plan.terms.map { .init(isDescending: $0.isDescending, nullsAreLast: $0.nullsAreLast) }
        return plan
    })

    static let misplacesNulls = Alteration(plan: { plan in
        var plan = plan
        plan.terms = plan.terms.map {
            .init(collation: $0.collation, isDescending: $0.isDescending, nullsAreLast: !$0.nullsAreLast)
        }
        return plan
    })
}

extension ChangeEvent {
    func withImages(_ change: ((any RowImages)?) -> (any RowImages)?) -> ChangeEvent {
        guard case .row(let row) = self else { return self }
        return .row(
            RowChange(
                table: row.table, kind: row.kind, oldKey: row.oldKey, newKey: row.newKey,
                images: change(row.images)))
    }
}

extension RowConditionReport {
    fileprivate func map(_ change: (inout RowConditionTemplate) -> Void) -> RowConditionReport {
        var report = self
        for table in tables.indices {
            for list in tables[table].alternatives.indices {
                for index in tables[table].alternatives[list].indices {
                    change(&report.tables[table].alternatives[list][index])
                }
            }
        }
        return report
    }

    fileprivate func mapTests(
        _ change: (RowConditionTemplate.Test) -> RowConditionTemplate.Test
    ) -> RowConditionReport {
        map { $0.test = change($0.test) }
    }
}

/// Returns the new values of a row for its old ones too.
private final class OneSidedImages: RowImages {
    private let base: any RowImages

    init(_ base: any RowImages) { self.base = base }

    var columnNames: [String] { base.columnNames }
    func oldValue(at column: Int) -> StorageCell? { base.newValue(at: column) ?? base.oldValue(at: column) }
    func newValue(at column: Int) -> StorageCell? { base.newValue(at: column) }
}
