import BenchmarkWork
import Vigil

/// Opens databases and creates observations with Vigil, as its documentation recommends.
public struct Library: Sendable {
    private let isEncrypted: Bool

    /// Vigil on libsqlite3.
    public static let plain = Library(isEncrypted: false)
    /// Vigil on libsqlcipher, with encrypted files.
    public static let encrypted = Library(isEncrypted: true)

    /// Whether servers are measured with this library of files, which makes no difference to them.
    var measuresServers: Bool { !isEncrypted }
    let noticesForeignWrites = true

    func configuration() throws -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(Schema.busySeconds)
        if isEncrypted {
            let key = CipherKey.raw((0..<32).map { UInt8($0) })
            let backend = SQLCipherBackend(key: key)
            configuration.backend = backend
            do {
                try DatabaseQueue(configuration: configuration).close()
            } catch {
                throw Absence("libsqlcipher cannot be used: \(error)")
            }
        }
        return configuration
    }

    /// Configures observations to include commits of other processes.
    func observeForeignWrites(_ configuration: inout Configuration) {
        configuration.foreignChanges = .observed
    }

    /// Returns an observation of plain SQL.
    func observation<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation<ValueReducers.Fetch<Value>> {
        .tracking(fetch)
    }

    /// Returns an observation of rows as a list, which Vigil updates row by row.
    func rows(
        _ sql: String, _ arguments: StatementArguments, _ activity: Activity
    ) -> ValueObservation<ValueReducers.List<ListedRow>> {
        .trackingList(SQLRequest<ListedRow>(sql: sql, arguments: arguments))
    }

    /// Returns an observation of one row, which Vigil recognizes in the SQL of the fetch.
    func observation<Value: Sendable>(
        ofPlayer id: Int64, _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ValueObservation<ValueReducers.Fetch<Value>> {
        .tracking(fetch)
    }
}
