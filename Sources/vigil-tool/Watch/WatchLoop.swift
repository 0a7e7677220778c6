import Foundation

/// Shows results on the calling thread until the watch ends.
struct WatchLoop {
    struct Options {
        /// The duration of the watch in seconds, or `nil` if it is unlimited.
        var duration: Double?
        /// Whether reports contain the time.
        var hasTimestamps = false
        /// Whether reports contain only the rows that differ from the last report.
        var showsChanges = false
        /// Whether a report is shown again after the command that receives it has failed.
        var retries = false
    }

    private struct Unshown {
        let result: QueryResult
        let number: Int
        let isLast: Bool
    }

    let watch: DatabaseWatch
    var presenter: any Presenter
    var progress: WatchProgress
    let options: Options
    private let events = WatchEvents()
    /// The result of a report that could not be shown.
    private var unshown: Unshown?

    private static let pauseBetweenTries = 1.0

    init(watch: DatabaseWatch, presenter: any Presenter, progress: WatchProgress, options: Options) {
        self.watch = watch
        self.presenter = presenter
        self.progress = progress
        self.options = options
    }

    /// Runs until the watch ends: by the user, after the duration or the number of results, or because the reader of
    /// the output has closed it.
    ///
    /// - Throws: The error that ended the watch.
    mutating func run() throws {
        let screen = presenter.screen
        let signals = Signals(
            events: events, screen: screen, command: presenter.command, duration: options.duration)
        presenter.output.onReaderGone(signals.end)
        watch.start(events)
        defer {
            screen?.close()
            watch.stop()
            withExtendedLifetime(signals) {}
        }
        do {
            while try handle(events.next()) {}
            try presenter.finish()
        } catch is Output.ReaderGone {}
    }

    /// Handles an event, and returns whether the watch continues.
    private mutating func handle(_ event: WatchEvent) throws -> Bool {
        switch event {
        case .result(let result):
            switch progress.didReceive(result) {
            case .skip: try presenter.show(note: nil)
            case .discard:
                unshown = nil
                try presenter.show(note: nil)
            case .print(let number):
                return try show(Unshown(result: result, number: number, isLast: false))
            case .printLast(let number):
                return try show(Unshown(result: result, number: number, isLast: true))
            }
        case .tryAgain:
            if let unshown { return try show(unshown) }
        case .unobservable:
            Output.note("the query reads no table that is observed: there is nothing to wait for")
        case .waiting(let text): try presenter.show(note: text)
        case .failed(let error): throw error
        case .resized: try presenter.redraw()
        case .suspended:
            presenter.screen?.close()
            kill(getpid(), SIGSTOP)
            try presenter.redraw()
        case .ended: return false
        }
        return true
    }

    /// Shows a result, and returns whether the watch continues.
    private mutating func show(_ next: Unshown) throws -> Bool {
        let report = WatchReport(
            number: next.number, time: options.hasTimestamps ? WatchReport.text(of: Date()) : nil,
            result: next.result,
            changes: options.showsChanges ? RowChanges(from: progress.base, to: next.result) : nil,
            patch: next.result.list.flatMap { ListPatch(from: progress.base?.list, to: $0) })
        do {
            try presenter.show(report)
        } catch let failure as CommandFailure {
            // The end of the watch also ends the command.
            if events.isEnded { return false }
            guard options.retries else { throw failure }
            unshown = next
            try presenter.show(note: "trying again: \(failure)")
            events.add(.tryAgain, after: Self.pauseBetweenTries)
            return true
        }
        progress.didShow(next.result)
        unshown = nil
        return !next.isLast
    }
}
