/// A connection that converts compared values by the affinity of their columns, and whose columns may compare text in
/// other ways than by its bytes.
package protocol AffinityComparing: StorageConnection {
    /// Returns how a column compares text; `nil` for columns of views, and for collations that the program defines.
    func collation(of column: String, in table: TableName) -> RowCondition.Collation?
}
