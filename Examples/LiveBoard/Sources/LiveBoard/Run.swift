import Foundation
import Vigil

/// A run that a person has logged.
struct Run: Decodable, FetchableRecord, TableRecord, Identifiable, Equatable, Sendable {
    var id: Int64
    var runner: String
    var meters: Int
    /// The time of the entry, in UTC, such as `2026-05-31 17:45:00`.
    var date: String
}

/// A run that is not in the database yet.
struct NewRun: Equatable, Sendable {
    static let longestName = 40
    /// The limit of the table. A character can have many code points.
    private static let mostCodePoints = 200

    let runner: String
    let meters: Int

    /// Validates the fields of the form.
    init(runner: String, kilometers: String) throws(InvalidForm) {
        let runner = runner.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !runner.isEmpty else { throw InvalidForm(message: "Enter the name of the runner.") }
        guard runner.count <= Self.longestName else {
            throw InvalidForm(message: "Enter a name of at most \(Self.longestName) characters.")
        }
        guard runner.storedName.unicodeScalars.count <= Self.mostCodePoints else {
            throw InvalidForm(message: "Enter a name with simpler characters.")
        }
        guard !runner.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw InvalidForm(message: "Enter a name without control characters.")
        }
        let digits = kilometers.filter { !$0.isWhitespace }.replacing(",", with: ".")
        guard digits.allSatisfy({ $0 == "." || ("0"..."9").contains($0) }), let number = Double(digits) else {
            throw InvalidForm(message: "Enter the distance as a number of kilometers, such as 7.5.")
        }
        guard 0.1...500 ~= number else {
            throw InvalidForm(message: "Enter a distance between 0.1 and 500 kilometers.")
        }
        self.runner = runner.storedName
        meters = Int((number * 1000).rounded())
    }

    func insert(_ db: Database) throws {
        try db.execute(literal: "INSERT INTO run (runner, meters) VALUES (\(runner), \(meters))")
    }
}

extension String {
    /// The form of a name in the database, which compares bytes: `é` can be one character or two.
    var storedName: String { precomposedStringWithCanonicalMapping }
}

/// The reason why a form is refused.
struct InvalidForm: Error, Equatable {
    let message: String
}
