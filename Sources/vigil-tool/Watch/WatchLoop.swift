import Foundation

/// Shows results on the calling thread until the watch ends.
struct WatchLoop {
    let watch: DatabaseWatch
    var presenter: any Presenter
    var progress: WatchProgress
    /// The duration of the watch in seconds, or `nil` if it is unlimited.
    let duration: Double?

    /// Runs until the watch ends: by the user, after the duration or the number of results, or because the reader of
    /// the output has closed it.
    ///
    /// - Throws: The error that ended the watch.
    mutating func run() throws {
        let events = WatchEvents()
        let screen = presenter.screen
        let signals = Signals(events: events, screen: screen, duration: duration)
        presenter.output.onReaderGone { events.add(.ended) }
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
            case .print(let number): try presenter.show(result, number: number)
            case .printLast(let number):
                try presenter.show(result, number: number)
                return false
            }
        case .unobservable:
            try? Output.standardError.write(
                "vigil: note: the query reads no table that is observed: there is nothing to wait for\n")
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
}
