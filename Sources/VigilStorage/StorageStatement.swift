/// A compiled statement.
///
/// Reading a row costs one dynamic call, ``step()``: it fills ``row`` with all columns at once, and
/// whoever reads takes them from there without another call (measured: `Decisions/002`).
public protocol StorageStatement: AnyObject {
    /// The text of this one statement.
    var sql: String { get }

    /// What the statement reads and writes.
    var access: StatementAccess { get }

    /// Differs from an earlier answer if ``access`` does: a statement may turn out to touch more when it runs. And if
    /// the program replaced a function that ``rowConditions`` rely on.
    var accessRevision: Int { get }

    /// Conditions on the rows of the tables that it reads: which rows make a difference to its result.
    ///
    /// Found when it is asked for, with the schema as it is then. To be asked again when ``accessRevision`` differs.
    var rowConditions: RowConditionReport { get }

    /// The number of values to bind: the index of the last parameter.
    var parameterCount: Int { get }

    /// The name of a parameter with its prefix (`:name`), or `nil` if it has none.
    ///
    /// - Parameter index: from 1 on.
    func parameterName(at index: Int) -> String?

    /// The names of the columns of its rows; none for a statement that returns no rows.
    var columnNames: [String] { get }

    /// The current row. Its cells are valid from a ``step()`` that returned `true` until the next
    /// ``step()`` or ``reset()``. Another object if the columns changed, which the first ``step()`` of a run
    /// may find out; see ``columnNames``.
    var row: StorageRow { get }

    /// Binds a value, which is copied.
    ///
    /// - Parameter index: from 1 on.
    func bind(_ value: StorageValue, at index: Int) throws(StorageError)

    /// Binds NULL to all parameters.
    func clearBindings()

    /// Runs the statement until its next row: `true` with a row, `false` at its end.
    func step() throws(StorageError) -> Bool

    /// Ends the current run; the next ``step()`` begins another. Bindings are kept.
    func reset()

    /// The text with its bound values in place, for people to read.
    var expandedSQL: String { get }

    /// Frees the statement. It is not used afterwards.
    func finalize()
}

extension StorageStatement {
    /// 0, for statements whose access is known when they are compiled.
    public var accessRevision: Int { 0 }

    /// None: every row of every table may matter.
    public var rowConditions: RowConditionReport { RowConditionReport() }

    /// ``rowConditions`` with these values bound: see ``RowConditionReport/bound(_:)``.
    ///
    /// - Parameter values: those of the parameters, in order. A missing one is NULL.
    public func rowConditions(boundTo values: [StorageValue]) -> [TableName: [[RowCondition]]] {
        rowConditions.bound { $0 >= 1 && $0 <= values.count ? values[$0 - 1] : .null }
    }
}
