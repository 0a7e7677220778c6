#if os(Linux) || os(Android)
    import Dispatch
    import Synchronization
    import VigilStorage

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The part of a watch notified by the system: its registration with the process's ``InotifyReader``.
    struct HintSource: Sendable {
        private let id: Int

        init(_ files: DatabaseFiles, gate: HintGate) throws(StorageError) {
            id = try InotifyReader.shared.add(files, gate: gate)
        }

        func end() { InotifyReader.shared.remove(id) }
    }

    /// The only inotify instance of the process, shared by all watches, because the default limit is 128
    /// instances per user (`fs.inotify.max_user_instances`). It stays open a little longer than the last
    /// watch: closing an instance takes time, so one for each short-lived watch would reach the limit.
    ///
    /// Watches of the same directory share a kernel watch. No thread polls: a dispatch source reads the
    /// descriptor.
    final class InotifyReader: Sendable {
        static let shared = InotifyReader()

        private struct State {
            var instance: Instance?
            /// The watched directories, by the kernel's watch number.
            var directories: [Int32: Directory] = [:]
            /// The kernel's watch number for each watch.
            var places: [Int: Int32] = [:]
            var lastID = 0
            var willCloseIfUnused = false
            /// The number of recent batches that were read at once, and the time until which they are recent.
            var recent: (batches: Int, end: DispatchTime) = (0, .now())

            /// Returns whether to let events accumulate after a batch that was read at once.
            mutating func needsRest() -> Bool {
                if recent.end < .now() { recent = (0, DirectoryWatch.pauseBetweenReads.fromNow) }
                recent.batches += 1
                return recent.batches >= InotifyReader.batchLimit
            }
        }

        private static let unusedTime = Duration.seconds(1)
        /// The number of batches in ``DirectoryWatch/pauseBetweenReads`` that are read at once. The writes of
        /// one commit arrive in few batches, and a timer costs more than reading them.
        private static let batchLimit = 4

        private struct Instance {
            let descriptor: Int32
            let source: any DispatchSourceRead
            /// Whether the source is suspended. A suspended source must not be released.
            private var isResting = false

            init(descriptor: Int32, source: any DispatchSourceRead) {
                self.descriptor = descriptor
                self.source = source
            }

            mutating func beginRest() {
                if !isResting { source.suspend() }
                isResting = true
            }

            mutating func endRest() {
                if isResting { source.resume() }
                isResting = false
            }
        }

        fileprivate struct Directory {
            var members: [Int: Member] = [:]
            var membersByName: [FileName: Set<Int>] = [:]
        }

        fileprivate struct Member {
            let gate: HintGate
            let names: [FileName]
        }

        private let state = Mutex(State())
        private let queue = DispatchQueue(label: "Vigil.DirectoryWatch", qos: .userInitiated)

        private init() {}

        var isOpen: Bool { state.withLock { $0.instance != nil } }

        var directoryCount: Int { state.withLock { $0.directories.count } }

        // MARK: - Adding and removing

        /// Adds a watch, and returns its id for ``remove(_:)``.
        func add(_ files: DatabaseFiles, gate: HintGate) throws(StorageError) -> Int {
            let answer = state.withLock { state -> Result<Int, StorageError> in
                do throws(StorageError) {
                    return .success(try add(files, gate: gate, &state))
                } catch {
                    return .failure(error)
                }
            }
            return try answer.get()
        }

        private func add(_ files: DatabaseFiles, gate: HintGate, _ state: inout State) throws(StorageError)
            -> Int
        {
            let instance: Instance
            if let open = state.instance { instance = open } else { instance = try open() }
            state.instance = instance
            // For a watched directory, the kernel returns the existing number.
            let number = files.directory.withPath {
                inotify_add_watch(instance.descriptor, $0, InotifyEvent.mask)
            }
            guard number >= 0 else {
                let error = InotifyFailure.addingWatch(files.directory).error(errno)
                closeLaterIfUnused(&state)
                throw error
            }
            state.lastID += 1
            let id = state.lastID
            state.places[id] = number
            state.directories[number, default: Directory()].add(id, Member(gate: gate, names: files.names))
            return id
        }

        /// Removes a watch. Later batches do not signal it.
        func remove(_ id: Int) {
            // Release the gate outside of the lock: releasing what it captures may run arbitrary code.
            _ = state.withLock { state -> HintGate? in
                defer { closeLaterIfUnused(&state) }
                guard let number = state.places.removeValue(forKey: id) else { return nil }
                let gate = state.directories[number]?.remove(id)
                if state.directories[number]?.members.isEmpty == true, let instance = state.instance {
                    state.directories[number] = nil
                    _ = inotify_rm_watch(instance.descriptor, number)
                }
                return gate
            }
        }

        private func open() throws(StorageError) -> Instance {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { throw InotifyFailure.openingInstance.error(errno) }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { [unowned self] in readBatch(from: descriptor, afterRest: false) }
            source.setCancelHandler { _ = close(descriptor) }
            source.resume()
            return Instance(descriptor: descriptor, source: source)
        }

        private func closeLaterIfUnused(_ state: inout State) {
            guard state.places.isEmpty, !state.willCloseIfUnused else { return }
            state.willCloseIfUnused = true
            queue.asyncAfter(deadline: Self.unusedTime.fromNow) { [self] in closeIfUnused() }
        }

        func closeIfUnused() {
            state.withLock { state in
                state.willCloseIfUnused = false
                guard state.places.isEmpty else { return }
                state.instance?.source.cancel()
                state.instance?.endRest()
                state.instance = nil
            }
        }

        // MARK: - Reading

        /// Reads a batch of events and signals each affected watch once. After several batches in a short
        /// time, it lets events accumulate for the next batch, and repeats this until there are no more
        /// events; only then is the source resumed, to wake for each event.
        private func readBatch(from descriptor: Int32, afterRest: Bool) {
            // The descriptor of a discarded instance is closed on this queue too, so it cannot be closed
            // during this call.
            guard state.withLock({ $0.instance?.descriptor == descriptor }) else { return }
            let events = withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                return InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer.prefix(max(0, count))))
            }
            guard !events.isEmpty else { return state.withLock { $0.instance?.endRest() } }
            let (gates, rests) = state.withLock { state in
                let rests = afterRest || state.needsRest()
                if rests { state.instance?.beginRest() }
                return (process(events, &state), rests)
            }
            for gate in gates { gate.forwardHint() }
            guard rests else { return }
            queue.asyncAfter(deadline: DirectoryWatch.pauseBetweenReads.fromNow) { [self] in
                readBatch(from: descriptor, afterRest: true)
            }
        }

        /// Handles events, and returns the gates of the affected watches, oldest watch first.
        private func process(_ events: [InotifyEvent], _ state: inout State) -> [HintGate] {
            var gates: [Int: HintGate] = [:]
            for event in events {
                switch event.kind {
                case .file(let name): state.directories[event.watch]?.collect(name, into: &gates)
                case .directory: state.directories[event.watch]?.collectAll(into: &gates)
                case .watchEnded: state.directories.removeValue(forKey: event.watch)?.collectAll(into: &gates)
                case .overflow: state.directories.values.forEach { $0.collectAll(into: &gates) }
                }
            }
            return gates.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    extension InotifyReader.Directory {
        fileprivate mutating func add(_ id: Int, _ member: InotifyReader.Member) {
            members[id] = member
            for name in member.names { membersByName[name, default: []].insert(id) }
        }

        fileprivate mutating func remove(_ id: Int) -> HintGate? {
            guard let member = members.removeValue(forKey: id) else { return nil }
            for name in member.names {
                membersByName[name]?.remove(id)
                if membersByName[name]?.isEmpty == true { membersByName[name] = nil }
            }
            return member.gate
        }

        fileprivate func collect(_ name: FileName, into gates: inout [Int: HintGate]) {
            for id in membersByName[name] ?? [] { gates[id] = members[id]?.gate }
        }

        fileprivate func collectAll(into gates: inout [Int: HintGate]) {
            for (id, member) in members { gates[id] = member.gate }
        }
    }

    /// A request refused by the kernel.
    enum InotifyFailure {
        case openingInstance
        case addingWatch(FileName)

        /// Returns the error to throw. If a limit was reached, the message names the limit to raise.
        func error(_ number: Int32) -> StorageError {
            var message =
                switch self {
                case .openingInstance: "file changes cannot be watched"
                case .addingWatch(let directory): "the directory \(directory) cannot be watched"
                }
            message += ": \(systemMessage(number))"
            switch (self, number) {
            case (.openingInstance, EMFILE):
                message +=
                    "; raise the limit of open files (ulimit -n) or of inotify instances"
                    + " (sysctl fs.inotify.max_user_instances)"
            case (.openingInstance, ENFILE):
                message += "; raise the system's limit of open files (sysctl fs.file-max)"
            case (.addingWatch, ENOSPC):
                message += "; raise the limit of inotify watches (sysctl fs.inotify.max_user_watches)"
            default: break
            }
            return StorageError(.cannotOpen, message)
        }
    }
#endif
