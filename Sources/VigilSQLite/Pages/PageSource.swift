/// Provides the pages of one state of a database file.
package protocol PageSource: AnyObject {
    /// The number of pages in this state.
    var pageCount: UInt32 { get }

    /// Returns a page, with the page size in the database header. The first page is number 1.
    ///
    /// The bytes stay valid and unchanged until ``releasePages()``. Throws ``PageError/unreadable(_:)`` if
    /// the page cannot be read, or has another size.
    func page(_ number: UInt32) throws(PageError) -> UnsafeRawBufferPointer

    /// Permits the source to reuse the memory of all pages returned so far.
    func releasePages()
}

/// The reason why pages were not understood.
///
/// After an error, any row of the database may have changed.
package enum PageError: Error, Hashable {
    /// The format is unknown, or differs from the one before.
    case unknownFormat
    /// The schema differs from the one before.
    case changedSchema
    /// The bytes contradict the file format.
    case malformed
    /// A changed page belongs to no known row, index or list of free pages.
    case unknownPage(UInt32)
    /// More pages would have to be read than is worthwhile.
    case tooManyPages
    /// A changed page may belong to any long row, and there are too many of them to read all.
    case tooManyLongRows
    /// The log has another number of commits than its header says.
    case missingCommits
    /// A page could not be read.
    case unreadable(UInt32)
}

extension PageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownFormat: "unknown file format"
        case .changedSchema: "the schema changed"
        case .malformed: "malformed page"
        case .unknownPage(let number): "page \(number) belongs to no known row"
        case .tooManyPages: "too many pages to read"
        case .tooManyLongRows: "too many long rows to search"
        case .missingCommits: "commits are missing in the log"
        case .unreadable(let number): "page \(number) cannot be read"
        }
    }
}
