package import VigilStorage

/// The plan of a statement's groups, with values derived from it.
///
/// A class, because each state of each result refers to a shape.
package final class GroupShape: Sendable {
    package let plan: GroupPlan
    /// The keys of the contributions.
    let keys: ListShape
    package let sources: [ListPlan.Source]
    package let outputCount: Int
    package let limit: RowConditionTemplate.Operand?
    package let offset: RowConditionTemplate.Operand?
    /// The sources with row ids.
    package let followed: [Int]
    /// No row ids for each source.
    package let noRowIDs: [Set<Int64>]
    /// The column of each source's row id.
    let keyColumns: [Int]
    let valueCount: Int
    let argumentCount: Int
    let groupCount: Int
    /// For each argument, whether only its presence matters.
    let isCounted: [Bool]

    package init(_ plan: GroupPlan) {
        self.plan = plan
        let sources = plan.contributions.sources
        self.sources = sources
        outputCount = plan.outputs.count
        (limit, offset) = (plan.limit, plan.offset)
        keys = ListShape(
            sources: sources.map { .init($0.table, isOptional: $0.isOptional) }, terms: [])
        followed = sources.indices.filter { sources[$0].rowSQL != nil }
        noRowIDs = Array(repeating: [], count: sources.count)
        keyColumns = plan.contributions.keyColumns
        (valueCount, argumentCount) = (plan.valueCount, plan.argumentCount)
        groupCount = plan.groups?.count ?? 0
        isCounted = (0..<plan.argumentCount).map { argument in
            plan.aggregates.allSatisfy { $0.argument != argument || $0.function == .count }
        }
    }
}

extension GroupShape: Equatable {
    package static func == (a: GroupShape, b: GroupShape) -> Bool { a === b || a.plan == b.plan }
}
