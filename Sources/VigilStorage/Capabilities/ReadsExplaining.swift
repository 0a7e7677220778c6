/// A statement whose reads are determined on request, and not always completely.
package protocol ReadsExplaining: StorageStatement {
    /// Determines the reads, even if observations do not need them now.
    ///
    /// - Returns: what is read without reports of its changes, and why. If the reads are unknown, the text is
    ///   that of the statement.
    func explainReads() -> [RowConditionReport.Omission]
}
