/// A compiled statement.
///
/// The caller binds values, calls ``step()`` until it returns `false` or throws, calls ``reset()``, and may
/// then bind and step again. It calls ``finalize()`` once, at the end. Several statements of one connection
/// can be running at the same time, on the same thread.
///
/// Reading a row costs one dynamic call, ``step()``: it fills ``row`` with all columns at once, and readers
/// take the cells from there without another call (measured: `Decisions/002`).
public protocol StorageStatement: AnyObject {
    /// The text of this one statement, without those before and after it.
    var sql: String { get }

    /// The tables read and written by the statement, and its other effects, as known when it is compiled.
    ///
    /// Observations depend on it. It may claim more than the statement does, never less.
    var access: StatementAccess { get }

    /// A number that differs from its previous value if ``access`` or ``rowConditions`` may have changed.
    ///
    /// Needed by a backend whose statements are recompiled automatically after a change of the schema, or in
    /// which the program can replace functions that ``rowConditions`` depend on. Callers compare the number
    /// after a run.
    var accessRevision: Int { get }

    /// Determines the reads of the statement, if ``access`` does not name them yet.
    ///
    /// Called before the reads are used for an observation, in the transaction that runs the statement. A
    /// backend for which this is expensive reports ``StatementAccess/readsUnknown`` until then, and then
    /// another ``accessRevision``. Ignore failures: the reads then stay unknown.
    func determineReads()

    /// The conditions for rows to make a difference to the statement's result.
    ///
    /// They are determined when this is read, for the schema as it is then, and remain correct until
    /// ``accessRevision`` changes. Conditions are optional, and must be necessary: leave out every uncertain
    /// condition. An error is a result: if the statement may fail because of a row, the row must meet the
    /// conditions.
    var rowConditions: RowConditionReport { get }

    /// The columns that may decide which rows come first, although the statement does not read them, such as
    /// the columns of indexes. None if the order of the rows is complete, or if there is only one row.
    ///
    /// An observation depends on them if a run ends before its last row, or if
    /// ``RowConditionReport/returnsPartOfRows`` is `true`. They are determined when this is read, and remain
    /// correct until ``accessRevision`` changes.
    var orderingReads: [TableRead] { get }

    /// Returns the values to put in place of a parameter in ``rowConditions``: the bound value as the library
    /// converts it, or the elements of an array. Returns `nil` if the conversion is not certain; conditions
    /// with the parameter then do not hold.
    ///
    /// A backend whose values are converted by the affinity of the column returns the value itself.
    ///
    /// - Parameters:
    ///   - value: the value bound to the parameter.
    ///   - index: the index of the parameter. The first one is 1.
    func comparedValues(of value: StorageValue, at index: Int) -> [StorageValue]?

    /// How the rows of the result can be kept up to date one by one.
    ///
    /// It is determined when this is read, for the schema as it is then, and remains correct until
    /// ``accessRevision`` changes. A plan is optional: if anything about the statement is uncertain, answer
    /// with the reason, and the result is fetched as a whole after each change.
    var listPlan: ListPlanReport { get }

    /// How the result of a statement with aggregates or groups can be kept up to date row by row.
    ///
    /// It is determined when this is read, for the schema as it is then, and remains correct until
    /// ``accessRevision`` changes. A plan is optional, like ``listPlan``.
    var groupPlan: GroupPlanReport { get }

    /// The text of a statement with the same rows, in the same order, whose ORDER BY decides about all of
    /// them; `nil` if the order of some rows is not certain.
    ///
    /// The ``listPlan`` of this text describes the rows of the statement itself, with the same parameters. It
    /// is determined when this is read, like ``listPlan``.
    var orderedSQL: String? { get }

    /// Returns the work of the runs since the last call, in steps of the library's virtual machine or any
    /// other unit; `nil` if it is not measured.
    func resetWork() -> Int?

    /// Returns the number of pages read by the connection since the last call; `nil` if they are not counted.
    /// Few steps can read many pages: a `COUNT(*)` is one.
    func resetPageCount() -> Int?

    /// Whether the statement can be kept and run again later, instead of compiling its text again.
    ///
    /// A reusable text has the same meaning until the schema changes, or a statement runs that is not
    /// reusable itself. For SQLite, this excludes `PRAGMA`, `ATTACH` and all changes of the schema.
    var isReusable: Bool { get }

    /// The number of values to bind: the index of the last parameter.
    var parameterCount: Int { get }

    /// Returns the name of a parameter with its prefix, such as `:name`; `nil` if it has none, or does not
    /// exist. The index of the first parameter is 1.
    func parameterName(at index: Int) -> String?

    /// The names of the result columns; empty for a statement without rows.
    ///
    /// Known before the statement runs. After a change of the schema, the first ``step()`` of a run may
    /// change them.
    var columnNames: [String] { get }

    /// The current row, with one cell for each of ``columnNames``.
    ///
    /// Its cells are valid after a ``step()`` that returned `true`, until the next ``step()``, ``reset()`` or
    /// ``finalize()`` of this statement. Other statements do not affect them.
    ///
    /// The object stays the same as long as the columns do. If the columns change, it is another object:
    /// callers recognize changed columns by it.
    var row: StorageRow { get }

    /// Binds a value to a parameter. The value is copied.
    ///
    /// Bindings are kept until they are replaced or cleared. An unbound parameter is NULL. NaN is
    /// bound as NULL.
    ///
    /// - Parameters:
    ///   - value: the value to bind.
    ///   - index: the index of the parameter. The first one is 1.
    /// - Throws: ``StorageError/Code/range`` if the parameter does not exist, ``StorageError/Code/misuse`` if
    ///   the statement is running.
    func bind(_ value: StorageValue, at index: Int) throws(StorageError)

    /// Binds NULL to all parameters.
    func clearBindings()

    /// Runs the statement until its next row.
    ///
    /// The first step begins a run. All rows of a run come from one snapshot, even if other connections
    /// commit in between. A writing statement makes all of its changes in the first step, or none if it
    /// fails. After the end of a run, the next step begins another one.
    ///
    /// Outside of a transaction, a writing statement is committed when its run ends, before this returns
    /// `false`.
    ///
    /// - Returns: `true` if ``row`` holds a row, `false` at the end.
    /// - Throws: ``StorageError`` with the text of the statement in ``StorageError/sql``, such as
    ///   ``StorageError/Code/constraint``, ``StorageError/Code/busy``, ``StorageError/Code/interrupt`` or,
    ///   for missing names, ``StorageError/Code/error``. The run is then over: the statement can be reset,
    ///   bound and run again. A violated constraint leaves an open transaction open.
    func step() throws(StorageError) -> Bool

    /// Ends the current run and releases its locks and snapshot. The next ``step()`` begins another run.
    /// Bindings are kept.
    func reset()

    /// The text with the bound values in place of the parameters, for display.
    var expandedSQL: String { get }

    /// Frees the statement. The caller does not use it afterwards.
    func finalize()
}

extension StorageStatement {
    /// 0: the access of the statement never changes.
    public var accessRevision: Int { 0 }

    /// Does nothing: the reads are known when the statement is compiled.
    public func determineReads() {}

    /// `false`: the text is compiled for each run.
    public var isReusable: Bool { false }

    /// No conditions: every row of every read table may matter.
    public var rowConditions: RowConditionReport { RowConditionReport() }

    /// None: ``access`` contains all columns that decide which rows come first.
    public var orderingReads: [TableRead] { [] }

    /// The value itself.
    public func comparedValues(of value: StorageValue, at index: Int) -> [StorageValue]? { [value] }

    /// Every result is fetched as a whole.
    public var listPlan: ListPlanReport {
        .refused("the backend does not plan the rows of results")
    }

    /// Every result is fetched as a whole.
    public var groupPlan: GroupPlanReport {
        .refused("the backend does not plan the groups of results")
    }

    /// `nil`: no order is certain.
    public var orderedSQL: String? { nil }

    /// `nil`: the work is not measured.
    public func resetWork() -> Int? { nil }

    /// `nil`: pages are not counted.
    public func resetPageCount() -> Int? { nil }

    /// Returns ``rowConditions`` for the values of the parameters, in order; a missing one is NULL.
    public func rowConditions(boundTo values: [StorageValue]) -> [TableName: [[RowCondition]]] {
        rowConditions.bound {
            comparedValues(of: $0 >= 1 && $0 <= values.count ? values[$0 - 1] : .null, at: $0)
        }
    }
}
