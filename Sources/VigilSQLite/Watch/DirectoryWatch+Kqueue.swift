#if canImport(Darwin)
    import Darwin
    import Dispatch
    import Synchronization
    import VigilStorage

    // Written from the documentation. This file has not been compiled or run on an Apple platform yet.

    /// The part of a watch notified by the system: vnode sources for the directory, and for `-wal` and
    /// `-journal` while they exist.
    ///
    /// A directory source reports created and deleted files, but not writes to them, so these two files have
    /// descriptors of their own. ``DatabaseFiles/openablePaths()`` decides what may be opened: never the
    /// database or its `-shm`, whose locks would be lost. The engine finds other commits, with the rollback
    /// journal in memory or off, when it checks without a hint.
    final class HintSource: Sendable {
        private struct State {
            var directory: (any DispatchSourceFileSystemObject)?
            /// The sources of the files, by path.
            var files: [FileName: any DispatchSourceFileSystemObject] = [:]
            var isResting = false
            var isEnded = false
        }

        private static var changes: DispatchSource.FileSystemEvent {
            [.write, .extend, .delete, .rename, .revoke]
        }

        private let files: DatabaseFiles
        private let gate: HintGate
        private let queue = DispatchQueue(label: "Vigil.DirectoryWatch", qos: .userInitiated)
        private let state = Mutex(State())

        init(_ files: DatabaseFiles, gate: HintGate) throws(StorageError) {
            self.gate = gate
            self.files = files
            let descriptor = Self.open(files.directory)
            guard descriptor >= 0 else {
                throw StorageError(
                    .cannotOpen,
                    "the directory \(files.directory) cannot be watched: \(systemMessage(errno));"
                        + " if too many files are open, raise the limit (ulimit -n)")
            }
            let source = makeSource(descriptor) { [weak self] _ in self?.somethingHappened() }
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
            gate.forwardHint()
            queue.asyncAfter(deadline: DirectoryWatch.pauseBetweenReads.fromNow) { [weak self] in
                guard let self else { return }
                state.withLock { $0.isResting = false }
                gate.forwardHint()
            }
        }

        /// Adds sources for existing files without one. Runs on `queue`.
        private func watchFiles() {
            for path in files.openablePaths() where state.withLock({ !$0.isEnded && $0.files[path] == nil }) {
                let descriptor = Self.open(path)
                guard descriptor >= 0 else { continue }
                // The file was replaced in between: the descriptor stays open, because closing it would drop
                // the locks.
                guard let status = FileStatus(descriptor: descriptor), !files.isLocked(status) else {
                    continue
                }
                let source = makeSource(descriptor) { [weak self] event in
                    if !event.isDisjoint(with: [.delete, .rename, .revoke]) { self?.forget(path) }
                    self?.somethingHappened()
                }
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

        /// Opens a file or directory for notifications only.
        ///
        /// - Returns: a negative number if it cannot be opened, with the reason in `errno`.
        private static func open(_ path: FileName) -> Int32 {
            path.withPath { Darwin.open($0, O_EVTONLY | O_CLOEXEC | O_NOFOLLOW) }
        }

        /// Creates a source for a descriptor. Its cancellation closes the descriptor.
        private func makeSource(
            _ descriptor: Int32, handler: @escaping @Sendable (DispatchSource.FileSystemEvent) -> Void
        ) -> any DispatchSourceFileSystemObject {
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: Self.changes, queue: queue)
            source.setEventHandler { [unowned source] in handler(source.data) }
            source.setCancelHandler { _ = close(descriptor) }
            return source
        }
    }
#endif
