import VigilStorage

extension ChangeReporter {
    /// The table of a row change, with everything needed to report the change.
    final class CurrentTable {
        let schemaBytes: [CChar]
        let nameBytes: [CChar]
        let name: TableName
        let metadata: TableMetadata?
        let imageColumns: [String]?
        let storedColumnCount: Int
        let imageDefaults: [Bool]
        let hasRowID: Bool?
        let owner: TableName?
        /// The plan by which its triggers supply row values, if they do.
        let plan: RowImagePlan?
        /// Whether the table has metadata, and row changes need no further work before they are reported.
        let isPlain: Bool

        init(_ name: TableName, _ metadata: TableMetadata?, plan: RowImagePlan?) {
            schemaBytes = Array(name.schema.utf8CString)
            nameBytes = Array(name.name.utf8CString)
            self.name = name
            self.metadata = metadata
            imageColumns = metadata?.imageColumns
            storedColumnCount = metadata?.storedColumnCount ?? 0
            imageDefaults = metadata?.imageDefaults ?? []
            hasRowID = metadata?.table.hasRowID
            owner = metadata?.owner
            self.plan = plan
            isPlain = metadata != nil && metadata?.owner == nil && plan == nil
        }
    }
}

extension ChangeReporter.CurrentTable {
    func matches(_ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>) -> Bool {
        equal(nameBytes, table) && equal(schemaBytes, schema)
    }

    private func equal(_ bytes: [CChar], _ text: UnsafePointer<CChar>) -> Bool {
        for index in bytes.indices where bytes[index] != text[index] { return false }
        return true
    }

    func rowKeys(
        _ kind: RowChange.Kind, oldKey: Int64, newKey: Int64, images: HookedRowImages?
    ) -> (old: RowKey?, new: RowKey?) {
        let hasRowID = hasRowID ?? (oldKey != 0 || newKey != 0)
        func key(_ rowID: Int64, _ value: (Int) -> StorageCell?) -> RowKey {
            if hasRowID { return .integer(rowID) }
            guard let metadata, images != nil else { return .unknown }
            return .values(metadata.keyColumns.map { value($0)?.value ?? .null })
        }
        let old = kind == .insert ? nil : key(oldKey) { images?.oldValue(at: $0) }
        let new = kind == .delete ? nil : key(newKey) { images?.newValue(at: $0) }
        return (old, new)
    }
}
