import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilTesting

@testable import VigilEngine

/// The invariants that hold after a round has settled.
extension DriverRound {
    func judge() -> [String] {
        faults.removeAllRules()
        timer.fireImmediately()
        let clients = shared.withLock { $0.clients }
        for client in clients {
            client.pause.resume()
            for _ in 0..<100 { client.request() }
        }
        if isClosed.load(ordering: .sequentiallyConsistent) {
            waitUntil("an observation continues in a closed database") { isOver($0) }
        } else {
            checkContent()
            waitUntil("the last value is lost") { isUpToDate($0) }
        }
        for client in clients { check(client) }
        for client in shared.withLock({ $0.sharedClients }) {
            let log = client.log.withLock { $0 }
            for text in log.problems { problem("shared: \(text)") }
            check(log.values, .all, isExact: false, "shared")
        }
        if shared.withLock({ $0.problems.isEmpty }), !isClosed.load(ordering: .sequentiallyConsistent) {
            endAll(clients)
        }
        return shared.withLock { $0.problems }
    }

    private func checkContent() {
        do {
            let value = try writer.read { db in try DriverQuery.all.fetch(db) }
            if value != DriverQuery.all.value(in: history.last) {
                problem("the database contains \(value), which was never committed")
            }
        } catch {
            problem("it cannot be read: \(error)")
        }
    }

    // MARK: - The last value

    private func isOver(_ client: DriverClient) -> Bool { client.log.withLock { $0.isEnded } }

    private func isUpToDate(_ client: DriverClient) -> Bool {
        let (last, isEnded) = client.log.withLock { ($0.values.last, $0.isEnded) }
        if isEnded { return true }
        guard let last, last.value == client.style.query.value(in: history.last) else { return false }
        // A commit may have restored an earlier value. Without coalescing, that one arrived before the value
        // in between did. A pause skips values.
        return client.isCoalescing || client.style.isPausable
            || last.commit.rawValue >= lastChange(of: client.style.query)
    }

    /// Returns the number of the last commit that changed the value of a query.
    private func lastChange(of query: DriverQuery) -> UInt64 {
        let entries = history.all
        let value = entries.last.map { query.value(in: $0.state) }
        let change = entries.lastIndex { query.value(in: $0.state) != value }.map { $0 + 1 }
        return entries[change ?? 0].number
    }

    private func isUpToDate(_ client: SharedClient) -> Bool {
        let (last, isEnded) = client.log.withLock { ($0.values.last?.value, $0.isEnded) }
        return isEnded || last == DriverQuery.all.value(in: history.last)
            || isClosed.load(ordering: .sequentiallyConsistent)
    }

    /// Waits for notifications until each client satisfies the condition.
    private func waitUntil(_ complaint: String, _ isRight: (DriverClient) -> Bool) {
        let end = DispatchTime.now() + timeout
        while true {
            let (clients, sharedClients) = shared.withLock { ($0.clients, $0.sharedClients) }
            let wrong = clients.filter { !isRight($0) }
            let isSharedRight = sharedClients.allSatisfy { isUpToDate($0) }
            if wrong.isEmpty, isSharedRight { return }
            guard news.wait(timeout: end) == .success else {
                for client in wrong { problem("\(client.name): \(complaint)") }
                if !isSharedRight { problem("shared: \(complaint)") }
                return
            }
        }
    }

    // MARK: - All values

    private func check(_ client: DriverClient) {
        let log = client.log.withLock { $0 }
        for text in log.problems { problem("\(client.name): \(text)") }
        let isExact = !isPool || !client.isCoalescing
        check(log.values, client.style.query, isExact: isExact && !client.style.isDistinct, client.name)
        if client.style.source == .group {
            for value in log.values.map(\.value)
            where value.count != 6 || value[0] + value[2] + value[4] != DriverState.total {
                problem("\(client.name): parts of several commits: \(value)")
            }
        }
        let isOfEachCommit = !client.isCoalescing && !client.style.isPausable && !log.wasPostponed
        if isOfEachCommit { checkEachCommit(client, log) }
        // Without an idle reader, the per-commit fetcher fetches values on the writer that may not be needed.
        let readsAhead = isPool && !client.isCoalescing
        if client.style.query != .chosen, isPrecise, !readsAhead { checkFetches(client, log) }
    }

    /// Checks that each value is the state at a commit at or after both its reported commit and the commit of
    /// the previous value.
    private func check(
        _ values: [Committed<[Int]>], _ query: DriverQuery, isExact: Bool, _ name: String
    ) {
        let entries = history.all
        var place = entries.startIndex
        var last = CommitNumber.zero
        for value in values {
            if value.commit < last { problem("\(name): commit \(value.commit) after \(last)") }
            last = value.commit
            let next = entries[place...].firstIndex { entry in
                let isRight =
                    isExact ? entry.number == last.rawValue : entry.number >= last.rawValue
                return (isRight || hasFeed) && query.value(in: entry.state) == value.value
            }
            guard let next else {
                return problem("\(name): \(value) was not the state of the database at that commit")
            }
            place = next
        }
    }

    /// Checks that there is one value for each commit that changed the region.
    private func checkEachCommit(_ client: DriverClient, _ log: DriverClient.Log) {
        guard let first = log.values.first else { return }
        let query = client.style.query
        var expected = [first.value]
        let entries = history.all
        // A queue without observers does not number its commits.
        let begin = entries.lastIndex { entry in
            entry.number == first.commit.rawValue && query.value(in: entry.state) == first.value
        }
        guard let begin else { return }
        for entry in entries[begin...] {
            let value = query.value(in: entry.state)
            if value != expected.last { expected.append(value) }
        }
        var values = log.values.map(\.value)
        if !isPrecise {
            values = values.indices.filter { $0 == 0 || values[$0] != values[$0 - 1] }.map { values[$0] }
        }
        let isRight = log.isEnded ? expected.starts(with: values) : values == expected
        if !isRight { problem("\(client.name): \(values), not one value per commit: \(expected)") }
    }

    /// Checks that there is at most one fetch at the start and one per change, or two on a pool, where a
    /// commit may be notified after it was fetched.
    private func checkFetches(_ client: DriverClient, _ log: DriverClient.Log) {
        let values = history.all.map { client.style.query.value(in: $0.state) }
        let changes = zip(values, values.dropFirst()).count { $0 != $1 }
        if log.fetches > 1 + (isPool ? 2 : 1) * changes {
            problem("\(client.name): \(log.fetches) fetches for \(changes) commits")
        }
    }

    // MARK: - The end

    /// Cancels all observations, and waits until the database has released them. Once all readers are
    /// returned, the last round of the scheduler has ended.
    private func endAll(_ clients: [DriverClient]) {
        stopWatching()
        for client in clients { client.cancel() }
        for client in shared.withLock({ $0.sharedClients }) { client.cancel() }
        var count = 0
        for _ in 0..<100 {
            count =
                (try? writer.barrierWriteWithoutTransaction { db in db.coordinator?.observerCount ?? 0 })
                ?? -1
            if count == 0 || isObservedForGood && count == 1 { return }
        }
        problem("\(count) observers are registered after their end")
    }
}
