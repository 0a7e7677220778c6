import VigilStorage

/// The columns requested by name from the rows of a statement, in the order of the requests.
///
/// Most programs request the same names in the same order from each row. The n-th request of a row is
/// therefore compared with the n-th request of the previous row, by the representations of the two names:
/// literals and the strings of coding keys have equal ones. Any other request searches the columns.
///
/// It is only a cache: each answer is checked, and depends on the layout alone. Rows of the same statement
/// share it from run to run, and are confined to the thread of an access.
@usableFromInline
package final class ColumnLookups {
    /// The maximum number of remembered requests. The rows of a join can have hundreds of columns, but a loop
    /// that searches a row for names must not make the cache grow.
    private static let limit = 256

    private let layout: RowLayout
    private unowned let database: Database
    /// The requests of the previous row.
    @exclusivity(unchecked)  // bench: decode-records
    @usableFromInline var known = ContiguousArray<ColumnLookup>()
    /// The names of the requests, because a representation identifies a string only while the string exists.
    private var names: [String] = []
    /// The position in ``known`` of the next request of the current row.
    @exclusivity(unchecked)  // bench: decode-records
    @usableFromInline var next = 0
    /// The columns of the record types that the rows were decoded to, by macros.
    @exclusivity(unchecked)  // bench: decode-macro
    @usableFromInline var records = ContiguousArray<RecordColumns>()

    init(_ layout: RowLayout, of database: Database) {
        self.layout = layout
        self.database = database
    }

    deinit { for record in records { record.cells.deallocate() } }

    /// Begins another row.
    @inline(__always)  // bench: decode-records
    func restart() { next = 0 }

    /// Returns the index of the leftmost column of the given name, or -1 without such a column.
    @inlinable  // bench: decode-records
    package func index(of name: String) -> Int {
        let position = next
        next = position &+ 1
        if position < known.count, known[position].isFor(name) { return known[position].index }
        return search(name, position)
    }

    /// Returns the index of the leftmost column of the given name, which is not remembered.
    func search(forColumn name: String) -> Int? {
        database.checkConfinement()
        return layout.index(of: name)
    }

    /// Searches for a column, and remembers it at a position.
    @usableFromInline
    func search(_ name: String, _ position: Int) -> Int {
        database.checkConfinement()
        let index = layout.index(of: name) ?? -1
        let column = ColumnLookup(name, index)
        if position < known.count {
            known[position] = column
            names[position] = name
        } else if known.count < Self.limit {
            known.append(column)
            names.append(name)
        }
        return index
    }
}

/// The index of a column requested by name.
@usableFromInline
struct ColumnLookup {
    #if _pointerBitWidth(_64)
        /// The representation of the name: its characters if it is short, or else its length and storage.
        @usableFromInline let name: (UInt, UInt)
    #else
        @usableFromInline let name: String
    #endif
    @usableFromInline let index: Int

    init(_ name: String, _ index: Int) {
        #if _pointerBitWidth(_64)
            self.name = unsafeBitCast(name, to: (UInt, UInt).self)
        #else
            self.name = name
        #endif
        self.index = index
    }

    /// Returns whether the column was requested by this name. May return `false` for an equal string with
    /// another storage.
    @inlinable  // bench: decode-records
    func isFor(_ name: String) -> Bool {
        #if _pointerBitWidth(_64)
            self.name == unsafeBitCast(name, to: (UInt, UInt).self)
        #else
            hasName(name)
        #endif
    }

    #if !_pointerBitWidth(_64)
        @usableFromInline
        func hasName(_ name: String) -> Bool { self.name.isIdentical(to: name) }
    #endif
}
