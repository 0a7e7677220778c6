public import VigilEngine

extension Database {
    /// What happens to a row when the row that it refers to is deleted, or gets another key.
    ///
    /// See <https://www.sqlite.org/foreignkeys.html#fk_actions>.
    public enum ForeignKeyAction: String, Sendable {
        /// It is deleted too, or follows the key.
        case cascade = "CASCADE"
        /// The change is refused, at once.
        case restrict = "RESTRICT"
        /// Its foreign key becomes `NULL`.
        case setNull = "SET NULL"
        /// Its foreign key becomes the default of its columns.
        case setDefault = "SET DEFAULT"
    }
}
