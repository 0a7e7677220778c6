/// A connection that summarizes the results of statements, to recognize equal ones without comparing values.
///
/// Useful if changes are reported for the whole database: most fetches then return the same as before.
package protocol ResultDigesting: StorageConnection {
    /// Starts to summarize the statements of the connection, with their columns and rows.
    func beginResultDigest()

    /// Ends the summary. Returns `nil` if no statement has returned rows.
    func endResultDigest() -> ResultDigest?
}

/// A summary of the results of statements. Different results have different summaries, with a probability of
/// an error of 2⁻¹²⁸.
///
/// It consists of two values of `Hasher` (SipHash-1-3) with different first inputs. They are only comparable
/// inside one process.
package struct ResultDigest: Equatable, Sendable {
    private let values: (Int, Int)

    package init(_ hasher: ResultHasher) {
        values = hasher.finalize()
    }

    package static func == (a: ResultDigest, b: ResultDigest) -> Bool { a.values == b.values }
}

package struct ResultHasher {
    private var first = Hasher()
    private var second = Hasher()

    package init() { second.combine(1) }

    package mutating func combine(_ number: Int) {
        first.combine(number)
        second.combine(number)
    }

    /// Adds the bytes of a value and their number; NULL if `bytes` is `nil`.
    package mutating func combine(_ bytes: UnsafeRawBufferPointer?) {
        combine(bytes?.count ?? -1)
        guard let bytes else { return }
        first.combine(bytes: bytes)
        second.combine(bytes: bytes)
    }

    fileprivate func finalize() -> (Int, Int) { (first.finalize(), second.finalize()) }
}
