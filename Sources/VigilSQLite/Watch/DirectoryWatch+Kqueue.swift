#if canImport(Darwin)
    import Darwin
    import Dispatch
    import Synchronization
    import VigilStorage

    // Written from the documentation. This file has not been compiled or run on an Apple platform yet.

    /// The part of a watch that the system notifies: vnode sources for the directory, and for `-wal` and
    /// `-journal` while they exist.
    ///
    /// A directory source reports created and deleted files, but not writes to them, so these two files have
    /// descriptors of their own. SQLite takes no POSIX locks on them; it does on the database and on `-shm`,
    /// which are therefore never opened. Commits that this misses (with the rollback journal in memory or
    /// off) are found when the engine checks without a sign.
    final class SignSource: Sendable {
        private struct State {
            var directory: (any DispatchSourceFileSystemObject)?
            /// The sources of the files, by path.
            var files: [FileName: any DispatchSourceFileSystemObject] = [:]
            var isResting = false
            var isEnded = false
        }

        private static let changes: DispatchSource.FileSystemEvent = [
            .write, .extend, .delete, .rename, .revoke,
        ]

        private let paths: [FileName]
        private let gate: SignGate
        private let queue = DispatchQueue(label: "Vigil.DirectoryWatch", qos: .userInitiated)
        private let state = Mutex(State())

        init(_ files: DatabaseFiles, gate: SignGate) throws(StorageError) {
            self.gate = gate
            paths = files.names.dropFirst().map { files.directory.appending("/").appending($0) }
            guard
                let source = makeSource(
                    files.directory, handler: { [weak self] _ in self?.somethingHappened() })
            else {
                throw StorageError(
                    .cannotOpen,
                    "the directory \(files.directory) cannot be watched: \(systemMessage(errno));"
                        + " if too many files are open, raise the limit (ulimit -n)")
            }
            state.withLock { $0.directory = source }
            source.resume()
            queue.async { [weak self] in self?.watchFiles() }
        }

        func end() {
            let sources = state.withLock { state in
                state.isEnded = true
                defer {
                    state.directory = nil
                    state.files = [:]
                }
                return [state.directory].compactMap { $0 } + state.files.values
            }
            sources.forEach { $0.cancel() }
        }

        /// Signals at once, and again after the rest interval, for the events in between. Runs on `queue`.
        private func somethingHappened() {
            watchFiles()
            let isFirst = state.withLock { state in
                defer { state.isResting = true }
                return !state.isResting && !state.isEnded
            }
            guard isFirst else { return }
            gate.forwardSign()
            queue.asyncAfter(deadline: DirectoryWatch.restAfterSigns.fromNow) { [weak self] in
                guard let self else { return }
                state.withLock { $0.isResting = false }
                gate.forwardSign()
            }
        }

        /// Adds sources for existing files that have none. Runs on `queue`.
        private func watchFiles() {
            for path in paths where state.withLock({ !$0.isEnded && $0.files[path] == nil }) {
                let source = makeSource(path) { [weak self] event in
                    if !event.isDisjoint(with: [.delete, .rename, .revoke]) { self?.forget(path) }
                    self?.somethingHappened()
                }
                guard let source else { continue }
                let isWanted = state.withLock { state in
                    if !state.isEnded { state.files[path] = source }
                    return !state.isEnded
                }
                source.resume()
                if !isWanted { source.cancel() }
            }
        }

        private func forget(_ path: FileName) {
            state.withLock { $0.files.removeValue(forKey: path) }?.cancel()
        }

        /// Creates a source for a file.
        ///
        /// - Returns: `nil` if the file cannot be opened.
        private func makeSource(
            _ path: FileName, handler: @escaping @Sendable (DispatchSource.FileSystemEvent) -> Void
        ) -> (any DispatchSourceFileSystemObject)? {
            let descriptor = path.withPath { open($0, O_EVTONLY | O_CLOEXEC) }
            guard descriptor >= 0 else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: Self.changes, queue: queue)
            source.setEventHandler { [unowned source] in handler(source.data) }
            source.setCancelHandler { _ = close(descriptor) }
            return source
        }
    }
#endif
