import VigilStorage

/// The conditions on the rows of one table, as lists: a row must meet all conditions of at least one list.
struct ConditionAlternatives {
    /// The maximum number of alternatives. Each change of a row may be compared with all of them.
    static let limit = 64

    private(set) var lists: [[RowConditionTemplate]]

    /// The alternatives met by any row.
    static let anyRow = ConditionAlternatives(lists: [[]])

    init(_ condition: RowConditionTemplate) {
        lists = [[condition]]
    }

    private init(lists: [[RowConditionTemplate]]) {
        self.lists = lists
    }

    var isUnrestricted: Bool { lists.contains(where: \.isEmpty) }

    /// Returns the alternatives of rows in both; `nil` if there are too many.
    func intersection(_ other: ConditionAlternatives) -> ConditionAlternatives? {
        guard lists.count * other.lists.count <= Self.limit else { return nil }
        return ConditionAlternatives(lists: lists.flatMap { list in other.lists.map { list + $0 } })
    }

    /// Returns the alternatives of rows in either; `nil` if there are too many.
    func union(_ other: ConditionAlternatives) -> ConditionAlternatives? {
        if isUnrestricted || other.isUnrestricted { return .anyRow }
        var union = self
        for list in other.lists { union.add(list) }
        return union.lists.count <= Self.limit ? union : nil
    }

    private mutating func add(_ list: [RowConditionTemplate]) {
        for index in lists.indices {
            if lists[index] == list { return }
            guard lists[index].count == 1, list.count == 1,
                let condition = lists[index][0].union(list[0])
            else { continue }
            lists[index] = [condition]
            return
        }
        lists.append(list)
    }
}

extension RowConditionTemplate {
    /// Returns the condition that a column equals one of the values of two conditions; `nil` for other tests.
    fileprivate func union(_ other: RowConditionTemplate) -> RowConditionTemplate? {
        guard column == other.column, affinity == other.affinity, collation == other.collation,
            case .oneOf(let values) = test, case .oneOf(let others) = other.test,
            !(values + others).contains(where: { if case .near = $0 { true } else { false } })
        else { return nil }
        var union = self
        union.test = .oneOf(values + others.filter { !values.contains($0) })
        return union
    }
}
