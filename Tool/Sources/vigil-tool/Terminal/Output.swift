import Foundation

/// A file descriptor for output. Text is written completely and without buffering.
struct Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    static let standardError = Output(descriptor: STDERR_FILENO)

    /// Thrown when the reader of the output has closed it.
    struct ReaderGone: Error {}

    let descriptor: Int32

    /// Writes all of the text, and waits if the descriptor does not accept it yet. Throws ``ReaderGone`` if
    /// the reader has closed the output, `Failure` if writing fails for another reason.
    func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest.removeFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitUntilWritable()
            case EPIPE: throw ReaderGone()
            case let code: throw Failure("cannot write the output: \(String(cString: strerror(code)))")
            }
        }
    }

    /// Writes a note to standard error, escaped for terminals. Standard error may be closed: this must not
    /// end the tool.
    static func note(_ text: String) {
        try? standardError.write("vigil: note: \(TerminalText.safe(text))\n")
    }

    private func waitUntilWritable() {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
    }

    /// Calls `action` on a new thread when the reader of a pipe or socket closes it; not for other outputs.
    func onReaderGone(_ action: @escaping @Sendable () -> Void) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
            return
        }
        let descriptor = descriptor
        Thread.detachNewThread {
            var request = pollfd(fd: descriptor, events: 0, revents: 0)
            while poll(&request, 1, -1) < 0, errno == EINTR {}
            if Int32(request.revents) & (POLLERR | POLLHUP) != 0 { action() }
        }
    }
}
