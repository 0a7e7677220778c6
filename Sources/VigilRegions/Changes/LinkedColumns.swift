package import VigilStorage

/// The columns of each table whose values lead to rows of lists and of kept results.
package typealias LinkedColumns = [TableName: [ColumnName]]

extension LinkedColumns {
    /// The columns of the links of a plan. Row ids are always known.
    package init(_ links: [ListPlan.Link]) {
        self = [:]
        for link in links {
            guard case .named(let name) = link.column else { continue }
            formUnion([link.table: [ColumnName(name)]])
        }
    }

    package mutating func formUnion(_ other: LinkedColumns) {
        for (table, columns) in other {
            for column in columns where self[table]?.contains(column) != true {
                self[table, default: []].append(column)
            }
        }
    }
}
