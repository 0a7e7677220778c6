import VigilRegions
import VigilStorage

/// The properties of a statement that the coordinator needs, computed once per compiled statement.
final class ObservedStatement {
    let access: StatementAccess
    let columns: StatementColumns
    let isReadOnly: Bool
    /// Whether the coordinator must know the statement's end: it may end a transaction, or make changes.
    let mayEndTransaction: Bool
    private var knownRegion: DatabaseRegion?
    private var knownRegionOfFirstRows: DatabaseRegion?
    /// Whether a run has ended before its last row. The next ones are expected to do so, and record the same
    /// region.
    var hasEndedEarly = false
    private var knownConditions: Conditions?
    let eventKinds: [DatabaseEventKind]

    /// Conditions, in an object: each run reads parts of them (bench: dashboard).
    final class Conditions {
        let report: RowConditionReport

        init(_ report: RowConditionReport) { self.report = report }
    }

    /// - Parameter eventKinds: the kinds of events that the compilation of the statement announced. Its runs
    ///   may add accesses to the tables with the content of virtual ones.
    init(_ access: StatementAccess, announcing eventKinds: [DatabaseEventKind]) {
        self.access = access
        self.eventKinds = eventKinds
        columns = StatementColumns(access)
        isReadOnly = access.isReadOnly
        mayEndTransaction = !access.isReadOnly || access.transactionEffect != nil
    }

    /// Returns the region read by the statement. It is computed on the first call.
    func region(_ db: Database) -> DatabaseRegion {
        if let knownRegion { return knownRegion }
        var region = DatabaseRegion(reading: access)
        if access.changesSchema {
            // The library reads the schema table to change the schema. The statement itself does not select
            // from it.
            region = region.mapTables { db.schemaNaming.schemaTable(denotedBy: $0) == nil ? $0 : nil }
        }
        knownRegion = region
        return region
    }

    /// Returns the region of a run that returns a part of the rows, and so depends on the order of all of
    /// them. It is computed on the first call.
    func regionOfFirstRows(of statement: any StorageStatement, _ db: Database) -> DatabaseRegion {
        if let knownRegionOfFirstRows { return knownRegionOfFirstRows }
        let read = region(db)
        let united = read.union(reads: statement.orderingReads)
        // The same instance is found by caches.
        let region = united == read ? read : united
        knownRegionOfFirstRows = region
        return region
    }

    /// Returns the conditions that rows must meet to affect the statement, computed on the first call.
    func conditions(of statement: any StorageStatement) -> Conditions {
        if let knownConditions { return knownConditions }
        let conditions = Conditions(statement.rowConditions)
        knownConditions = conditions
        return conditions
    }
}
