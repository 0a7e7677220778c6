public import VigilEngine

/// A module that implements virtual tables, such as ``FTS4`` and ``FTS5``.
///
/// Define a type to give the arguments of another module names and types:
///
/// ```swift
/// struct RTree: VirtualTableModule {
///     final class Definition {
///         var columns: [String] = []
///     }
///
///     let moduleName = "rtree"
///     func makeTableDefinition(configuration: VirtualTableConfiguration) -> Definition { Definition() }
///     func moduleArguments(for definition: Definition, in db: Database) -> [String] { definition.columns }
///     func database(_ db: Database, didCreate tableName: String, using definition: Definition) {}
/// }
///
/// try db.create(virtualTable: "area", using: RTree()) { t in
///     t.columns = ["id", "minX", "maxX"]
/// }
/// ```
public protocol VirtualTableModule {
    /// The definition of a table, completed by the program.
    associatedtype TableDefinition

    /// The name of the module in SQL.
    var moduleName: String { get }

    /// Returns a definition for the program to complete.
    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

    /// Returns the arguments of the module, as SQL.
    ///
    /// - Throws: An error if the definition is contradictory. The table is then not created.
    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

    /// Completes the creation of a table, for example by creating triggers.
    ///
    /// - Throws: An error on failure. The table is then not created.
    func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws
}

/// The options of a virtual table, for its module.
///
/// ```swift
/// func makeTableDefinition(configuration: VirtualTableConfiguration) -> Definition { Definition() }
/// ```
public struct VirtualTableConfiguration {
    let options: VirtualTableOptions
}

/// Options for creating a virtual table.
///
/// ```swift
/// try db.create(virtualTable: "document", options: .ifNotExists, using: FTS4())
/// ```
public struct VirtualTableOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if a table of this name exists.
    public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)

    /// Creates a temporary table, visible only to its connection, and dropped when the connection closes.
    public static let temporary = VirtualTableOptions(rawValue: 1 << 1)
}
