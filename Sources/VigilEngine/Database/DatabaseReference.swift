/// Refers to a `Database` without keeping it alive.
///
/// Instead of a `weak` reference, which would make every retain and release of the database slower (measured: a one-row
/// query took 1.3 times as long). Used only inside accesses of the database, and cleared when it is released.
final class DatabaseReference {
    unowned(unsafe) var database: Database?
}
