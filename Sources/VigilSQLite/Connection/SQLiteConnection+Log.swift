import CVigilSQLite
package import VigilStorage

// The state of the write-ahead log.
extension SQLiteConnection {
    package var holdsSnapshot: Bool {
        guard let handle else { return false }
        if let state = api.pointee.txn_state { return state(handle, "main") != 0 }
        return isInTransaction || statementHandles.contains { api.pointee.stmt_busy($0) != 0 }
    }

    package func logState() -> LogState? {
        // Otherwise, looking for the index of a log would create one.
        guard capabilities.allowsConcurrentReaders else { return nil }
        // A writer of the header needs less than a microsecond, unless it is suspended.
        for _ in 0..<100 {
            guard let found = readLogIndex() else { return nil }
            guard let header = found.header else { continue }
            return LogState(
                changeCounter: header.changeCounter, lastFrame: header.lastFrame, salts: header.salts)
        }
        return nil
    }

    /// Returns the header of the log's index, and the number of frames copied by checkpoints; `nil` without a
    /// log. The header is `nil` while it is written.
    func readLogIndex() -> (header: WALIndexHeader?, copied: UInt32)? {
        guard let handle else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: WALIndexHeader.size, alignment: 8) { bytes in
            guard let start = bytes.baseAddress,
                vigil_sqlite_read_log_index(api, handle, start, Int32(bytes.count)) != 0
            else { return nil }
            let bytes = UnsafeRawBufferPointer(bytes)
            // Old libraries set only the first number, and only at the end of a checkpoint.
            let attempted = bytes.loadUnaligned(fromByteOffset: 128, as: UInt32.self)
            return (WALIndexHeader(bytes), max(WALIndexHeader.backfilledFrames(bytes), attempted))
        }
    }
}
