import VigilEngine
import VigilStorage

extension Database {
    /// Returns whether the library has at least a version.
    func hasVersion(_ major: Int, _ minor: Int) -> Bool {
        let numbers = connection.capabilities.libraryVersion.split(separator: ".").prefix(2).map {
            Int($0) ?? 0
        }
        return numbers.lexicographicallyPrecedes([major, minor]) == false
    }

    /// Checks that the library supports a feature.
    ///
    /// - Throws: `SQLITE_MISUSE` with the feature, the version that it needs, and that of the library.
    func requireVersion(_ major: Int, _ minor: Int, for feature: String) throws {
        guard !hasVersion(major, minor) else { return }
        let version = connection.capabilities.libraryVersion
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "\(feature) needs SQLite \(major).\(minor) or later, and the library is \(version)")
    }
}
