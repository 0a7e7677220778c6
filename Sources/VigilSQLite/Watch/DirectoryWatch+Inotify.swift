#if os(Linux) || os(Android)
    import CVigilSQLite
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
    /// Watches of the same directory share a kernel watch. One thread waits for the reports of the kernel; a
    /// dispatch source would wake two for each.
    ///
    /// While files are written without a pause, the kernel is not asked to report it: see ``WriteBurst``.
    final class InotifyReader: Sendable {
        static let shared = InotifyReader()

        fileprivate struct State {
            var instance: Instance?
            /// The watched directories, by the kernel's watch number.
            var directories: [Int32: Directory] = [:]
            /// The kernel's watch number for each watch.
            var places: [Int: Int32] = [:]
            var lastID = 0
        }

        fileprivate struct Instance {
            let descriptor: Int32
            /// A pipe. A byte in it wakes the thread of the instance.
            let pipe: (output: Int32, input: Int32)
        }

        fileprivate struct Directory {
            let name: FileName
            var members: [Int: Member] = [:]
            var membersByName: [FileName: Set<Int>] = [:]
            var burst = WriteBurst()
        }

        fileprivate struct Member {
            let gate: HintGate
            let names: [FileName]
        }

        private let state = Mutex(State())

        private init() {}

        var isOpen: Bool { state.withLock { $0.instance != nil } }

        var directoryCount: Int { state.withLock { $0.directories.count } }

        /// The number of directories whose writes the kernel does not report now.
        var mutedCount: Int { state.withLock { $0.directories.values.count { $0.burst.isMuted } } }

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
            let number = instance.watch(files.directory, InotifyEvent.mask)
            guard number >= 0 else { throw InotifyFailure.addingWatch(files.directory).error(errno) }
            state.lastID += 1
            let id = state.lastID
            state.places[id] = number
            var directory = state.directories[number] ?? Directory(name: files.directory)
            directory.burst.willReport()
            directory.add(id, Member(gate: gate, names: files.names))
            state.directories[number] = directory
            return id
        }

        /// Removes a watch. Later batches do not signal it.
        func remove(_ id: Int) {
            // Release the gate outside of the lock: releasing what it captures may run arbitrary code.
            _ = state.withLock { state -> HintGate? in
                guard let number = state.places.removeValue(forKey: id) else { return nil }
                let gate = state.directories[number]?.remove(id)
                guard let instance = state.instance else { return gate }
                if state.directories[number]?.members.isEmpty == true {
                    state.directories[number] = nil
                    _ = inotify_rm_watch(instance.descriptor, number)
                }
                if state.places.isEmpty { instance.wake() }
                return gate
            }
        }

        private func open() throws(StorageError) -> Instance {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { throw InotifyFailure.openingInstance.error(errno) }
            var pipe: [Int32] = [0, 0]
            guard Self.makePipe(&pipe) else {
                let error = InotifyFailure.openingInstance.error(errno)
                _ = close(descriptor)
                throw error
            }
            let descriptors = [descriptor] + pipe
            let instance = Instance(descriptor: descriptor, pipe: (pipe[0], pipe[1]))
            // The thread of this queue waits until the instance is discarded.
            DispatchQueue(label: "Vigil.DirectoryWatch", qos: .userInitiated).async { [self] in
                readReports(of: instance)
                for descriptor in descriptors { _ = close(descriptor) }
            }
            return instance
        }

        private static func makePipe(_ descriptors: inout [Int32]) -> Bool {
            guard pipe(&descriptors) == 0 else { return false }
            for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            return true
        }

        func closeIfUnused() {
            state.withLock { state in
                guard state.places.isEmpty else { return }
                state.instance?.wake()
                state.instance = nil
            }
        }

        // MARK: - Reading

        /// Reads reports and signals each affected watch once for a batch, until the instance is discarded.
        /// After several batches in a short time, it lets reports accumulate for the next batch, and repeats
        /// this until there are no more.
        private func readReports(of instance: Instance) {
            var pace = ReadPace()
            while let isUnused = isUnused(instance) {
                let isOver = !instance.wait(isUnused ? .unused : pace.rests ? .rest : .events)
                if isUnused, isOver { closeIfUnused() }
                let events = instance.readBatch()
                let (gates, isQuiet) = state.withLock { state -> ([HintGate], Bool) in
                    guard state.instance?.descriptor == instance.descriptor else { return ([], true) }
                    var gates = process(events, &state)
                    let isMuted = pace.rests && endInterval(of: instance, &state, &gates)
                    return (gates.sorted { $0.key < $1.key }.map(\.value), events.isEmpty && !isMuted)
                }
                pace.didRead(isQuiet: isQuiet, at: .now)
                for gate in gates { gate.forwardHint() }
            }
        }

        /// Returns whether there are no watches; `nil` if the instance was discarded. The descriptor of the
        /// next one differs, because this one is still open.
        private func isUnused(_ instance: Instance) -> Bool? {
            state.withLock { state in
                state.instance?.descriptor == instance.descriptor ? state.places.isEmpty : nil
            }
        }

        /// Handles the end of a rest. Returns whether there are directories with writes that are not
        /// reported: their watches are signalled in each interval.
        private func endInterval(
            of instance: Instance, _ state: inout State, _ gates: inout [Int: HintGate]
        ) -> Bool {
            var isMuted = false
            for (number, var directory) in state.directories {
                let change = directory.burst.intervalDidEnd()
                if directory.burst.isMuted || change == .report { directory.collectAll(into: &gates) }
                if let change {
                    let isSet = instance.setReports(
                        change == .report, of: directory.name, number: number, &state)
                    // The directory is not at its path any more. Checks notice that.
                    if !isSet { directory.burst = WriteBurst() }
                }
                isMuted = isMuted || directory.burst.isMuted
                state.directories[number] = directory
            }
            return isMuted
        }

        /// Handles events, and returns the gates of the affected watches by the number of the watch.
        private func process(_ events: [InotifyEvent], _ state: inout State) -> [Int: HintGate] {
            var gates: [Int: HintGate] = [:]
            for event in events {
                switch event.kind {
                case .file(let name): state.directories[event.watch]?.collect(name, into: &gates)
                case .directory: state.directories[event.watch]?.collectAll(into: &gates)
                case .watchEnded: state.directories.removeValue(forKey: event.watch)?.collectAll(into: &gates)
                case .overflow: state.directories.values.forEach { $0.collectAll(into: &gates) }
                }
            }
            return gates
        }
    }

    extension InotifyReader.Instance {
        fileprivate func watch(_ directory: FileName, _ mask: UInt32) -> Int32 {
            directory.withPath { inotify_add_watch(descriptor, $0, mask) }
        }

        /// Sets whether the writes of a watched directory are reported.
        ///
        /// - Returns: `false` if the directory is not at its path any more.
        fileprivate func setReports(
            _ reports: Bool, of directory: FileName, number: Int32, _ state: inout InotifyReader.State
        ) -> Bool {
            let found = watch(directory, reports ? InotifyEvent.mask : InotifyEvent.maskWithoutWrites)
            if found >= 0, found != number {
                // Another directory has taken its place.
                if state.directories[found] == nil {
                    _ = inotify_rm_watch(descriptor, found)
                } else {
                    _ = watch(directory, InotifyEvent.mask)
                    state.directories[found]?.burst.willReport()
                }
            }
            return found == number
        }

        /// Wakes the thread, which then looks at its state.
        fileprivate func wake() { _ = write(pipe.input, [0], 1) }

        fileprivate enum Wait {
            case events
            /// Lets reports accumulate.
            case rest
            /// There are no watches: the instance is closed if that does not change.
            case unused
        }

        /// Returns `false` if nothing happened in the longest time.
        fileprivate func wait(_ wait: Wait) -> Bool {
            var descriptors = [pipe.output, descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            var count: Int32
            switch wait {
            case .events: count = poll(&descriptors, 2, -1)
            case .rest:
                count = poll(&descriptors, 1, Int32(DirectoryWatch.pauseBetweenReads / .milliseconds(1)))
            case .unused: count = poll(&descriptors, 2, 1000)
            }
            if descriptors[0].revents != 0 {
                var byte: UInt8 = 0
                count = Int32(read(pipe.output, &byte, 1))
            }
            return count != 0
        }

        fileprivate func readBatch() -> [InotifyEvent] {
            withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                return InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer.prefix(max(0, count))))
            }
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

        fileprivate mutating func collect(_ name: FileName, into gates: inout [Int: HintGate]) {
            guard let ids = membersByName[name] else { return }
            burst.didReceiveReport()
            for id in ids { gates[id] = members[id]?.gate }
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
