import VigilStorage

extension Configuration {
    /// Throws `SQLITE_MISUSE` for the first option with an impossible value, before a database is opened.
    func validate() throws {
        if case .timeout(let seconds) = busyMode, !(seconds >= 0 && seconds.isFinite) {
            throw Self.impossible("busyMode", "a timeout of \(seconds) seconds: use 0 or more")
        }
        for (name, value, minimum) in [
            ("maximumReaderCount", maximumReaderCount, 1),
            ("maximumKeptStatementCount", maximumKeptStatementCount, 0),
            ("maximumWriteRetryCount", maximumWriteRetryCount ?? 0, 0),
            ("listVerificationInterval", listVerificationInterval, 0),
            ("liveResultMemory", liveResultMemory, 0),
        ] where value < minimum {
            throw Self.impossible(name, "\(value): use \(minimum) or more")
        }
        for (name, text) in [("label", label ?? ""), ("publication", publication)]
        where text.containsNullCharacter {
            throw Self.impossible(name, "a text with a NUL character")
        }
    }

    private static func impossible(_ option: String, _ value: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the option \(option) of the configuration cannot be \(value)")
    }
}
