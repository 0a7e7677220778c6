import VigilStorage

extension FeedMachine {
    /// The stream, opened or being opened.
    var stream: Stream? {
        get {
            switch phase {
            case .coarse: nil
            case .opening(let stream), .streaming(let stream, _): stream
            }
        }
        set {
            guard let newValue else { return }
            switch phase {
            case .coarse: break
            case .opening: phase = .opening(newValue)
            case .streaming(_, let fence): phase = .streaming(newValue, fence: fence)
            }
        }
    }

    /// Whether a received commit is not visible yet.
    var waits: Bool {
        if case .streaming(let stream, _) = phase { !stream.queue.isEmpty } else { false }
    }

    // MARK: - Catalog

    /// Handles the publication, read without a stream.
    mutating func didRead(_ state: PublicationState, at now: Instant) -> [Action] {
        guard case .coarse = phase else { return [] }
        switch state.publication {
        case .unavailable(let reason):
            phase = .coarse(retry: now + publicationRetries.didFail())
            return [.enter(.coarse(reason: reason))]
        case .tables(let tables):
            guard let last else { return [] }
            publicationRetries.didSucceed()
            streamCount += 1
            phase = .opening(
                Stream(
                    number: streamCount, session: last.session, server: state.server, tables: tables,
                    catalog: state.catalog))
            return (streamRetries.failureCount == 0 ? [.enter(.starting)] : [])
                + [.openStream(streamCount, server: state.server)]
        }
    }

    /// Handles the version of the catalog, read after a look.
    ///
    /// - Parameters:
    ///   - publication: the publication, read afterwards, if the version is another one.
    ///   - duration: how long the server took to return the version.
    mutating func didCheckCatalog(
        _ version: String, _ publication: Publication?, taking duration: Duration = .zero, at now: Instant
    ) -> [Action] {
        catalogPause = min(max(duration * Self.catalogRest, Self.catalogInterval), Self.longestCatalogPause)
        guard case .streaming(var stream, let fence) = phase, version != stream.catalog, let publication
        else { return [] }
        guard publication == .tables(stream.tables) else {
            streamRetries.didSucceed()
            return lose(nil, isRestart: true, moved: true, at: now)
        }
        // A table may have been changed without the stream and back again, so everything is fetched.
        stream.catalog = version
        stream.queue.dropRows()
        stream.rowsBegin = .max
        phase = .streaming(stream, fence: fence)
        return [.replaceTables(stream.tables), .report(.database)]
    }

    // MARK: - Stream

    /// Handles the start of the stream: from now on, it sends all commits of transactions begun later.
    func streamDidOpen(_ number: StreamNumber) -> [Action] {
        guard case .opening(let stream) = phase, stream.number == number else { return [] }
        return [.confirm(number)]
    }

    /// Handles what was read to confirm the stream.
    ///
    /// - Parameters:
    ///   - fence: the number of a transaction that began after the stream.
    ///   - look: a look after the end of that transaction.
    ///   - catalog: the version of the catalog after the look.
    mutating func didConfirm(
        _ number: StreamNumber, fence: UInt64, _ look: ServerLook, catalog: String, at now: Instant
    ) -> [Action] {
        guard case .opening(var stream) = phase, stream.number == number else { return [] }
        let moved = look.state != last
        last = look.state
        guard let snapshot = look.snapshot, stream.isOf(look), snapshot.xmax > fence,
            catalog == stream.catalog
        else { return lose(nil, isRestart: true, moved: moved, at: now) }
        // The report of the whole database covers them.
        let unknown = stream.queue.takeVisible(in: snapshot).unknownBefore
        let fence = max(fence, unknown ?? 0)
        let isPrecise = snapshot.xmin >= fence
        phase = .streaming(stream, fence: isPrecise ? nil : fence)
        streamRetries.didSucceed()
        isCatalogDue = false
        lastCatalogCheck = now
        return [.replaceTables(stream.tables), .report(.database)] + (isPrecise ? [.enter(.precise)] : [])
    }

    /// Handles received commits, and the end of what was received.
    mutating func didReceive(
        _ commits: [StreamedCommit], upTo position: UInt64, _ number: StreamNumber, at now: Instant
    ) -> LookPacing.Step? {
        guard var stream, stream.number == number else { return nil }
        for var commit in commits {
            if stream.hasEarlierRows(commit) { commit.dropRows() }
            stream.queue.append(commit)
        }
        stream.position = max(stream.position, position)
        self.stream = stream
        return waits && !commits.isEmpty ? pacing.didCommit(at: now) : nil
    }

    /// Handles the end of the stream.
    mutating func streamDidEnd(_ number: StreamNumber, reason: String, at now: Instant) -> [Action] {
        guard stream?.number == number else { return [] }
        return lose(reason, moved: false, at: now)
    }

    /// Returns to reports of the whole database. All received commits are dropped, because the numbers of
    /// transactions may be given again by another server, or after a crash. Commits that are not visible yet
    /// change the token when they are.
    ///
    /// - Parameters:
    ///   - reason: why there is no stream; `nil` if this is temporary.
    ///   - isRestart: whether the next stream is opened without a pause.
    ///   - moved: whether something may have been committed since the last report.
    mutating func lose(
        _ reason: String?, isRestart: Bool = false, moved: Bool, at now: Instant
    ) -> [Action] {
        let wasStreaming = if case .streaming = phase { true } else { false }
        let closes: [Action] = stream == nil ? [] : [.closeStream]
        phase = .coarse(retry: isRestart ? nil : now + streamRetries.didFail())
        return closes + (wasStreaming ? [.replaceTables(nil)] : [])
            + [.enter(reason.map { .coarse(reason: $0) } ?? .starting)]
            + (wasStreaming || moved ? [.report(.database)] : [])
    }
}
