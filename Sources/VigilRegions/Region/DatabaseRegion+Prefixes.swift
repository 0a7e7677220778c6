// Conditions on prefixes are derived from `LIKE` and `GLOB`. The program can replace these operators during an
// observation, which invalidates earlier conditions.
extension DatabaseRegion {
    /// Returns the region without its conditions on prefixes. Every change that modifies this region modifies
    /// the result too.
    package func withoutPrefixes() -> DatabaseRegion {
        guard let contents, contents.contains(where: { $0.part.predicates?.testPrefixes ?? false }) else {
            return self
        }
        return DatabaseRegion(
            contents: contents.map { region in
                var part = region.part
                part.predicates = part.predicates?.withoutPrefixes()
                return TableRegion(table: region.table, part: part)
            })
    }
}

extension RowPredicates {
    fileprivate var testPrefixes: Bool {
        alternatives.contains { $0.tests.contains(where: \.isOfPrefix) }
    }
}

extension ColumnTest {
    var isOfPrefix: Bool {
        if case .prefix = test { true } else { false }
    }
}
