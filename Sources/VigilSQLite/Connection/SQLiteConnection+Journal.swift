package import VigilStorage

extension SQLiteConnection: JournalReporting {
    package func journalMode() throws(StorageError) -> String? {
        guard case .text(let mode)? = try query("PRAGMA journal_mode").first?.first else { return nil }
        return mode
    }
}
