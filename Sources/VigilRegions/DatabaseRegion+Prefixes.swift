// Conditions on prefixes come from `LIKE` and `GLOB`. A program may give these operators another meaning while somebody
// observes; what was read from a query before then says nothing any more.
extension DatabaseRegion {
    /// The region without its conditions on prefixes. It is touched by all that touches this one.
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
