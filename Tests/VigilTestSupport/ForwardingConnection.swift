public import VigilStorage

/// A connection that forwards everything to another one. Subclasses override what they change. It is
/// documented by the protocol.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
open class ForwardingConnection: StorageConnection {
    public let base: any StorageConnection

    public init(_ base: any StorageConnection) { self.base = base }

    open var capabilities: StorageCapabilities { base.capabilities }
    open var isInTransaction: Bool { base.isInTransaction }
    public var lastInsertedRowID: Int64 { base.lastInsertedRowID }
    public var changesCount: Int { base.changesCount }
    public var totalChangesCount: Int { base.totalChangesCount }
    public var interrupter: any StorageInterrupter { base.interrupter }

    open func prepare(_ sql: String, fromUTF8Offset offset: Int, isCached: Bool) throws(StorageError)
        -> StoragePreparation
    {
        try base.prepare(sql, fromUTF8Offset: offset, isCached: isCached)
    }

    open func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        base.report(to: sink, interest: interest)
    }

    open func perform(_ command: TransactionCommand) throws(StorageError) { try base.perform(command) }
    open func beginSnapshot() throws(StorageError) { try base.beginSnapshot() }
    public func setReadOnly(_ isReadOnly: Bool) throws(StorageError) { try base.setReadOnly(isReadOnly) }
    public func foreignChangeToken() throws(StorageError) -> Int64? { try base.foreignChangeToken() }
    open func table(_ name: String, in schema: String?) throws(StorageError) -> StorageTable? {
        try base.table(name, in: schema)
    }
    public func tables() throws(StorageError) -> [TableName] { try base.tables() }
    public func releaseMemory() { base.releaseMemory() }
    public func close() throws(StorageError) { try base.close() }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ForwardingConnection: FunctionHosting {
    public func add(_ function: StorageFunction) throws(StorageError) {
        try (base as? any FunctionHosting)?.add(function)
    }

    public func removeFunction(named name: String, argumentCount: Int?) throws(StorageError) {
        try (base as? any FunctionHosting)?.removeFunction(named: name, argumentCount: argumentCount)
    }

    public func add(_ collation: StorageCollation) throws(StorageError) {
        try (base as? any FunctionHosting)?.add(collation)
    }

    public func removeCollation(named name: String) throws(StorageError) {
        try (base as? any FunctionHosting)?.removeCollation(named: name)
    }

    public var functionRevision: Int { (base as? any FunctionHosting)?.functionRevision ?? 0 }

    public var isRunningWrite: Bool { (base as? any FunctionHosting)?.isRunningWrite ?? false }
}

/// A statement that forwards everything to another one. Subclasses override what they change. It is
/// documented by the protocol.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
open class ForwardingStatement: StorageStatement {
    public let base: any StorageStatement

    public init(_ base: any StorageStatement) { self.base = base }

    open var access: StatementAccess { base.access }
    open var accessRevision: Int { base.accessRevision }
    open var listPlan: ListPlanReport { base.listPlan }
    open var groupPlan: GroupPlanReport { base.groupPlan }
    open func resetWork() -> Int? { base.resetWork() }
    open func comparedValues(of value: StorageValue, at index: Int) -> [StorageValue]? {
        base.comparedValues(of: value, at: index)
    }
    open var rowConditions: RowConditionReport { base.rowConditions }
    open var orderingReads: [TableRead] { base.orderingReads }
    public var sql: String { base.sql }
    public var isReusable: Bool { base.isReusable }
    public var parameterCount: Int { base.parameterCount }
    public var columnNames: [String] { base.columnNames }
    public var row: StorageRow { base.row }
    public var expandedSQL: String { base.expandedSQL }

    public func parameterName(at index: Int) -> String? { base.parameterName(at: index) }
    public func bind(_ value: StorageValue, at index: Int) throws(StorageError) {
        try base.bind(value, at: index)
    }
    public func clearBindings() { base.clearBindings() }
    open func step() throws(StorageError) -> Bool { try base.step() }
    open func reset() { base.reset() }
    open func finalize() { base.finalize() }
}
