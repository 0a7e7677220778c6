package import VigilLists
import VigilStorage

/// A request whose rows are observed as a list.
package struct ListRequest<Element: Sendable>: Sendable {
    /// A prepared request.
    package struct Prepared {
        let statement: Statement
        let adapter: (any RowAdapter)?
        /// Completes rows with those of associations. The elements are then more than the rows of the statement.
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

    let prepare: @Sendable (Database) throws -> Prepared
    /// Decodes a row, which is valid until the closure returns.
    let decode: @Sendable (Row) throws -> Element
    let traits: ElementTraits<Element>

    package init(
        traits: ElementTraits<Element>, prepare: @escaping @Sendable (Database) throws -> Prepared,
        decode: @escaping @Sendable (Row) throws -> Element
    ) {
        self.prepare = prepare
        self.decode = decode
        self.traits = traits
    }
}
