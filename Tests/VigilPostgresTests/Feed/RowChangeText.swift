import VigilStorage

extension RowChange {
    /// The change in one line, such as `update t [1]: id 1, a ?→2`. The values of blobs are their sizes.
    var text: String {
        guard let images else { return "\(kind) \(table) without images" }
        let columns = images.columnNames.enumerated().map { index, name in
            let old = kind == .insert ? nil : Self.text(images.oldValue(at: index))
            let new = kind == .delete ? nil : Self.text(images.newValue(at: index))
            let change = old == new || old == nil ? new ?? "" : new.map { "\(old ?? "")→\($0)" } ?? old ?? ""
            return "\(name) \(change)\(images.isUnchanged(at: index) && change == "?" ? "=" : "")"
        }
        let keys = [oldKey, newKey].compactMap { $0.map(Self.text) }
        return "\(kind) \(table) [\(Set(keys).count == 1 ? keys[0] : keys.joined(separator: "→"))]: "
            + columns.joined(separator: ", ")
    }

    private static func text(_ key: RowKey) -> String {
        switch key {
        case .integer(let id): "\(id)"
        case .values(let values): values.map { Self.text($0) }.joined(separator: ",")
        case .unknown: "?"
        }
    }

    private static func text(_ cell: StorageCell?) -> String { cell.map { text($0.value) } ?? "?" }

    private static func text(_ value: StorageValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): "'\(text)'"
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}
