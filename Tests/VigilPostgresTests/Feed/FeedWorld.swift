import VigilStorage
import VigilTestSupport

@testable import VigilPostgres

/// A feed machine on a model server, with observers that fetch in response to its reports.
struct FeedWorld {
    /// A mistake of the machine or of its driver, for the checks to find.
    enum Bug: CaseIterable {
        case reportsWhenReceived, ignoresFence, ignoresCatalog
    }

    private struct Observer {
        var region: TableName
        /// The version of the catalog at the last fetch. Rows decoded with another one do not match.
        var version = 0
        /// The visible writes of its table at the last fetch.
        var fetched: Set<Int> = []
    }

    private struct OpenStream {
        var number: Int
        /// The first transaction after the request to open the stream.
        var firstNumber: UInt64
        /// The next position in the log; `nil` until the stream is open.
        var next: Int?
    }

    private(set) var server: ModelServer
    private var machine: FeedMachine
    private let bug: Bug?
    private var now = ContinuousClock.now
    private var stream: OpenStream?
    private var reported: Set<TableName> = []
    private var observers: [UInt32: Observer] = [:]
    private var pause: Int?
    private var isSettled = false
    private(set) var preciseReportCount = 0
    private(set) var databaseReportCount = 0
    private(set) var rowCount = 0
    private(set) var states: Set<CommitFeedState> = []
    private(set) var problem: String?

    init(seed: UInt64, bug: Bug? = nil) {
        server = ModelServer(random: SeededRandom(seed: seed))
        self.bug = bug
        machine = FeedMachine(server.look.state)
        for relation in ModelServer.relations {
            observers[relation] = Observer(region: ReportedTables.unreported)
        }
        _ = machine.begin()
        look()
    }

    private mutating func chance(_ percent: UInt64) -> Bool { server.random.next() % 100 < percent }

    mutating func run(steps: Int) {
        for _ in 0..<steps where problem == nil {
            now += .microseconds(Int64(server.random.next() % 20_000))
            switch server.random.next() % 16 {
            case 0..<8: server.step()
            case 8..<11: continueLooks()
            case 11..<14: advanceStream()
            case 14: perform(machine.didCommitHere(at: now))
            default: disturb()
            }
        }
        settle()
    }

    /// Ends all transactions, and lets the feed report everything.
    private mutating func settle() {
        isSettled = true
        server.settle()
        for _ in 0..<30 {
            now += .seconds(1)
            while advanceStream() {}
            continueLooks()
        }
        for (relation, observer) in observers
        where observer.fetched != server.visibleWrites[relation, default: []] {
            problem = "writes of \(ModelServer.name(relation)) were not reported to \(observer.region)"
        }
    }

    private mutating func disturb() {
        guard chance(25) else { return }
        switch server.random.next() % 3 {
        case 0: endStream()
        case 1:
            server.session += 1
            perform(machine.didFail(at: now))
        default:
            server.restart()
            if chance(50) { endStream() }
        }
    }

    private mutating func endStream() {
        guard let number = stream?.number else { return }
        stream = nil
        perform(machine.streamDidEnd(number, reason: "lost", at: now))
    }

    // MARK: - Stream

    /// Opens the stream, or receives a commit. Returns whether there was something to do.
    @discardableResult
    private mutating func advanceStream() -> Bool {
        guard let open = stream else { return false }
        guard let next = open.next else {
            guard server.haveEnded(before: open.firstNumber) else { return false }
            stream?.next = server.log.count
            perform(machine.streamDidOpen(open.number))
            return true
        }
        guard next < server.log.count else { return false }
        stream?.next = next + 1
        let commit = server.streamed(next)
        perform(machine.didReceive([commit], upTo: UInt64(next), open.number, at: now))
        if bug == .reportsWhenReceived, case .streaming(let stream, _) = machine.phase {
            machine.stream?.queue = CommitQueue()
            let rows = Set(commit.rows.map(\.relation.id))
            let names = stream.tables.names(of: commit.relations.union(rows))
            if !names.isEmpty { report(.tables(names)) }
        }
        return true
    }

    // MARK: - Looks

    private mutating func continueLooks() {
        guard let number = pause, machine.pauseDidEnd(number) != nil else { return }
        look()
    }

    private mutating func look() {
        pause = nil
        let look = server.look
        disturbServer()
        if bug == .ignoresFence, case .streaming(let stream, .some) = machine.phase {
            machine.phase = .streaming(stream, fence: nil)
        }
        perform(machine.didLook(look, at: now))
    }

    /// The server continues while the feed works.
    private mutating func disturbServer() {
        while !isSettled, chance(30) { server.step() }
    }

    private mutating func perform(_ actions: [FeedMachine.Action]) {
        for action in actions { perform(action) }
    }

    private mutating func perform(_ step: LookPacing.Step?) {
        switch step {
        case .look: look()
        case .pause(_, let number): pause = number
        case nil: break
        }
    }

    private mutating func perform(_ action: FeedMachine.Action) {
        switch action {
        case .pace(let step): perform(step)
        case .enter(let state): states.insert(state)
        case .report(let report): self.report(report)
        case .replaceTables(let tables): reported = tables?.reported ?? []
        case .readPublication:
            let version = version
            disturbServer()
            let tables = server.catalog.tables
            perform(
                machine.didRead(
                    .init(publication: .tables(tables), catalog: version, server: "\(server.run)"), at: now))
        case .checkCatalog(let known):
            let version = version
            disturbServer()
            let publication = version == known ? nil : Publication.tables(server.catalog.tables)
            perform(machine.didCheckCatalog(bug == .ignoresCatalog ? known : version, publication, at: now))
        case .openStream(let number, let run):
            stream =
                run == "\(server.run)" ? OpenStream(number: number, firstNumber: server.nextNumber) : nil
            if stream == nil { perform(machine.streamDidEnd(number, reason: "another server", at: now)) }
        case .closeStream: stream = nil
        case .confirm(let number): confirm(number)
        }
    }

    private mutating func confirm(_ number: Int) {
        let fence = server.passTransaction()
        disturbServer()
        let look = server.look
        disturbServer()
        perform(
            machine.didConfirm(
                number, fence: bug == .ignoresFence ? 0 : fence, look, catalog: version, at: now))
    }

    private var version: String { "\(server.catalog.version)" }

    /// Observers with the table in their region fetch, and derive their region again.
    private mutating func report(_ report: FeedMachine.Report) {
        switch report {
        case .database: databaseReportCount += 1
        case .tables(let names, let rows):
            preciseReportCount += 1
            rowCount += rows.count
            if names.isEmpty && rows.isEmpty { problem = "an empty report" }
        }
        for (relation, observer) in observers where matches(report, observer) {
            let name = ModelServer.name(relation)
            observers[relation] = Observer(
                region: reported.contains(name) ? name : ReportedTables.unreported,
                version: server.catalog.version, fetched: server.visibleWrites[relation, default: []])
        }
    }

    private func matches(_ report: FeedMachine.Report, _ observer: Observer) -> Bool {
        guard case .tables(let names, let rows) = report else { return true }
        return names.contains(observer.region)
            || rows.contains { row in
                row.row.relation.names == ["\(observer.version)"]
                    && row.targets.tables.contains { $0.name == observer.region }
            }
    }
}
