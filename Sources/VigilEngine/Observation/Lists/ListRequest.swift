package import VigilLists
import VigilStorage

/// A request whose rows are observed as a list. It does not know the type of the elements.
package struct ListRequest: Sendable {
    /// A prepared request.
    package struct Prepared {
        let statement: Statement
        let adapter: (any RowAdapter)?
        /// Completes rows with rows of associations, not selected by the statement.
        let supplementaryFetch: ((Database, [Row]) throws -> Void)?

        package init(
            statement: Statement, adapter: (any RowAdapter)?,
            supplementaryFetch: ((Database, [Row]) throws -> Void)?
        ) {
            self.statement = statement
            self.adapter = adapter
            self.supplementaryFetch = supplementaryFetch
        }
    }

    /// Decodes a row, which is valid until the closure returns, and adds it with the values that decide its
    /// place, if the list is followed.
    typealias Append = @Sendable (Row, UnsafePointer<StorageCell>?, inout FetchedRows) throws -> Void

    let prepare: @Sendable (Database) throws -> Prepared
    let append: Append
    let traits: any ErasedElementTraits

    /// - Parameter decode: Decodes a row, which is valid until the closure returns.
    package init<Element: Sendable>(
        traits: ElementTraits<Element>, prepare: @escaping @Sendable (Database) throws -> Prepared,
        decode: @escaping @Sendable (Row) throws -> Element
    ) {
        self.prepare = prepare
        self.traits = traits
        append = { row, cells, rows in
            rows.append(try decode(row), cells: cells)
        }
    }
}
