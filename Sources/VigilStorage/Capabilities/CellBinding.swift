/// A statement that takes values from the rows of another statement without copying them.
public protocol CellBinding: StorageStatement {
    /// Binds the value of a cell to a parameter. The cell must stay valid until the statement has run.
    ///
    /// Unlike a value of Swift, a cell keeps the bytes of text that is not valid UTF-8.
    ///
    /// - Parameters:
    ///   - cell: the cell, of any statement on any connection.
    ///   - index: the index of the parameter. The first one is 1.
    /// - Throws: ``StorageError/Code/range`` if the parameter does not exist, ``StorageError/Code/misuse`` if the
    ///   statement is running.
    func bind(borrowing cell: StorageCell, at index: Int) throws(StorageError)
}
