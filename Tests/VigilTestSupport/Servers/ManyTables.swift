/// A schema of many tables, which no test uses.
package enum ManyTables {
    /// Returns one statement that creates a number of tables. Many at once exceed
    /// `max_locks_per_transaction`.
    package static func sql(_ count: Int) -> String {
        """
        DO $$ BEGIN FOR i IN 1..\(count) LOOP
            EXECUTE 'CREATE TABLE further_' || i || '(id bigint PRIMARY KEY, parent bigint, value double precision)';
        END LOOP; END $$
        """
    }
}
