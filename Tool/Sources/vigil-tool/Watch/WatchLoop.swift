import Foundation

/// Shows results on the calling thread until the watch ends.
struct WatchLoop {
    struct Options {
        /// The duration of the watch in seconds, or `nil` if it is unlimited.
        var duration: Double?
        var hasTimestamps = false
        /// Whether reports contain only the differences from the last report.
        var showsChanges = false
    }

    let watch: DatabaseWatch
    var presenter: any Presenter
    var progress: WatchProgress
    let options: Options
    private let events = WatchEvents()

    init(watch: DatabaseWatch, presenter: any Presenter, progress: WatchProgress, options: Options) {
        self.watch = watch
        self.presenter = presenter
        self.progress = progress
        self.options = options
    }

    /// Runs until the watch ends: by the user, or after the duration or the number of results.
    ///
    /// - Throws: The error that ended the watch; `Output.ReaderGone` if the output was closed.
    mutating func run() throws {
        let screen = presenter.screen
        let signals = Signals(events: events, screen: screen, duration: options.duration)
        presenter.output.onReaderGone(signals.end)
        watch.start(events)
        defer {
            screen?.close()
            watch.stop()
            withExtendedLifetime(signals) {}
        }
        while try handle(events.next()) {}
        try presenter.finish()
    }

    /// Handles an event, and returns whether the watch continues.
    private mutating func handle(_ event: WatchEvent) throws -> Bool {
        switch event {
        case .result(let result):
            let last = progress.last
            switch progress.didReceive(result) {
            case .skip: try presenter.show(note: nil)
            case .print(let number): try show(result, number: number, after: last)
            case .printLast(let number):
                try show(result, number: number, after: last)
                return false
            }
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

    private mutating func show(_ result: QueryResult, number: Int, after last: QueryResult?) throws {
        try presenter.show(
            WatchReport(
                number: number, time: options.hasTimestamps ? WatchReport.text(of: Date()) : nil,
                result: result,
                changes: options.showsChanges ? RowChanges(from: last, to: result) : nil,
                patch: result.list.flatMap { ListPatch(from: last?.list, to: $0) }))
    }
}
