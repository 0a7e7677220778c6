import VigilStorage

extension DatabaseValue: CustomStringConvertible {
    /// The value for logs: `NULL`, `12`, `1.5`, text in double quotes, and blobs by their size, such as
    /// `Data(16 bytes)`.
    public var description: String {
        switch storageValue {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): String(reflecting: text)
        case .blob(let bytes): "Data(\(bytes.count) bytes)"
        }
    }
}
