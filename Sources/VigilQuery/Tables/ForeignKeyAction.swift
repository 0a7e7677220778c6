public import VigilEngine

extension Database {
    /// The effect on a row when the row it refers to is deleted, or when its key changes.
    ///
    /// See <https://www.sqlite.org/foreignkeys.html#fk_actions>.
    public enum ForeignKeyAction: String, Sendable {
        /// The row is deleted as well, or its foreign key receives the new key.
        case cascade = "CASCADE"
        /// The change fails immediately, even if the foreign key is deferred.
        case restrict = "RESTRICT"
        /// The foreign key of the row becomes `NULL`.
        case setNull = "SET NULL"
        /// The foreign key of the row becomes the default value of its columns.
        case setDefault = "SET DEFAULT"
    }
}
