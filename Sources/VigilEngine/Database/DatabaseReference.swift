/// A reference to a ``Database`` that does not retain it.
///
/// A `weak` reference would make every retain and release of the database slower (measured: a one-row query
/// took 1.3 times as long). This reference is used only inside accesses of the database, and is cleared when
/// the database is released.
final class DatabaseReference {
    // Safe: used only inside accesses, and cleared when the database is released.
    unowned(unsafe) var database: Database?
}
