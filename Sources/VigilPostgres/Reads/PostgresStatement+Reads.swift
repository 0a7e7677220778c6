import VigilStorage

/// The reads of a statement, as long as its session and the reported tables stay the same.
struct KnownReads {
    var identity: SessionIdentity
    /// The version of the reported tables.
    var version: Int
    var analysis: QueryAnalysis
    var access: StatementAccess
    var conditions: RowConditionReport
}

extension PostgresStatement {
    /// The access, with the reads if they are known. Otherwise the statement reads the whole database.
    var access: StatementAccess {
        discardOutdatedReads()
        return knownReads?.access ?? textAccess
    }

    var accessRevision: Int {
        discardOutdatedReads()
        return readsRevision
    }

    /// The conditions, if the reads are known.
    var rowConditions: RowConditionReport {
        discardOutdatedReads()
        return knownReads?.conditions ?? RowConditionReport()
    }

    var orderingReads: [TableRead] {
        discardOutdatedReads()
        guard let feed, case .known(let reads)? = knownReads?.analysis else { return [] }
        return reads.orderingReads(reportedBy: feed.reportedTables.state)
    }

    func comparedValues(of value: StorageValue, at index: Int) -> [StorageValue]? {
        guard case .known(let reads)? = knownReads?.analysis,
            let number = text.serverParameters.firstIndex(of: index)
        else { return nil }
        if let type = reads.parameterTypes[number + 1] { return type.parameter(value).map { [$0] } }
        return reads.arrayTypes[number + 1]?.elements(of: value)
    }

    /// Whether running the statement can change the role or the search path of the session.
    var mayChangeSession: Bool { knownReads?.analysis.mayChangeSession ?? true }

    func determineReads() {
        // Without reports of single tables, every commit counts.
        guard let feed, feed.reportedTables.state.tables != nil else { return discardOutdatedReads() }
        determineReads(for: feed)
    }

    private func determineReads(for feed: any TableReporting) {
        discardOutdatedReads()
        // A query that cannot be analysed makes the session unknown. To ask for it would need a round trip.
        if connection.transaction.identity == nil, case .unknown? = knownReads?.analysis { return }
        let identity = mayBeAnalysed ? connection.snapshotIdentity() : nil
        discardOutdatedReads()
        // A failed analysis is tried again.
        let hasFailed = knownReads?.analysis.isUnavailable == true
        guard knownReads == nil || hasFailed, let identity else { return }
        let state = feed.reportedTables.state
        let analysis = feed.analyst.reads(
            of: text.serverText, types: preparation.parameterTypes, identity: identity,
            version: state.version)
        if hasFailed, analysis.isUnavailable { return }
        var access = textAccess
        analysis.addReads(to: &access, reportedBy: state)
        knownReads = KnownReads(
            identity: identity, version: state.version, analysis: analysis, access: access,
            conditions: analysis.report(reportedBy: state, parameters: text.serverParameters))
        readsRevision += 1
    }

    private var feed: (any TableReporting)? { connection.tableReporting }

    /// Whether the statement is a query, and prepared for the current session. The catalog of a standby may
    /// be older than that of the analyst's server.
    private var mayBeAnalysed: Bool {
        textAccess.readsUnknown && textAccess.isReadOnly && text.isReusable && !connection.session.isStandby
            && preparation.generation == connection.machine.generation
    }

    private func discardOutdatedReads() {
        guard let known = knownReads else { return }
        if let feed, feed.reportedTables.state.version == known.version {
            if connection.transaction.identity == known.identity { return }
            // It counts as reading the whole database in any session.
            if connection.transaction.identity == nil, case .unknown = known.analysis { return }
        }
        discardReads()
    }

    func discardReads() {
        knownReads = nil
        readsRevision += 1
    }
}

extension PostgresStatement: ReadsExplaining {
    func explainReads() -> [RowConditionReport.Omission] {
        guard let feed, textAccess.isReadOnly else {
            return [.init(text: sql, reason: "what it reads is not determined here")]
        }
        determineReads(for: feed)
        switch knownReads?.analysis {
        case .known(let reads): return reads.omissions(reportedBy: feed.reportedTables.state)
        case .unknown(let reason), .unavailable(let reason): return [.init(text: sql, reason: reason)]
        case nil: return [.init(text: sql, reason: "the session is not that of a snapshot")]
        }
    }
}
