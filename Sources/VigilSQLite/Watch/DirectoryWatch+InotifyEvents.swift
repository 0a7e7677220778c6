#if os(Linux) || os(Android)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// An event of the kernel: `struct inotify_event`.
    struct InotifyEvent: Equatable {
        enum Kind: Equatable {
            /// A file of the directory changed.
            case file(FileName)
            /// The directory was moved, deleted or unmounted.
            case directory
            /// The kernel ended the watch: the directory was deleted, or the watch removed.
            case watchEnded
            /// The kernel dropped events, of any watch.
            case overflow
        }

        /// The kernel's number of the watch; -1 for ``Kind/overflow``.
        let watch: Int32
        let kind: Kind

        /// The events to request.
        ///
        /// Creating and closing a file are not included, because a commit also writes or deletes a file.
        /// `IN_ONLYDIR` accepts only directories.
        static let mask = maskWithoutWrites | UInt32(IN_MODIFY)
        static let maskWithoutWrites = UInt32(
            IN_DELETE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

        private init(watch: Int32, mask: UInt32, name: FileName) {
            self.watch = watch
            let has = { (flag: Int32) in mask & UInt32(flag) != 0 }
            if has(IN_Q_OVERFLOW) {
                kind = .overflow
            } else if has(IN_IGNORED) {
                kind = .watchEnded
            } else if has(IN_DELETE_SELF) || has(IN_MOVE_SELF) || has(IN_UNMOUNT) {
                kind = .directory
            } else {
                kind = .file(name)
            }
        }

        /// Parses the bytes read from an inotify descriptor.
        static func events(in buffer: UnsafeRawBufferPointer) -> [InotifyEvent] {
            var events: [InotifyEvent] = []
            var place = 0
            // Each event begins with four numbers: watch, mask, cookie, and the length of the name with its
            // zero padding.
            while place + 16 <= buffer.count {
                let length = Int(buffer.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
                let name = buffer[(place + 16)...].prefix(length).prefix { $0 != 0 }
                events.append(
                    InotifyEvent(
                        watch: buffer.loadUnaligned(fromByteOffset: place, as: Int32.self),
                        mask: buffer.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
                        name: FileName(bytes: Array(name))))
                place += 16 + length
            }
            return events
        }
    }
#endif
