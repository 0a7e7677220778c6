// The reference work, on the C library alone.

#ifndef CREFERENCE_H
#define CREFERENCE_H

#include <stdint.h>

/// Reads all rows of `sql` and adds up what it reads, so that no read can be left out.
/// Returns the number of rows, or -1 with a failure.
int64_t reference_read_rows(const char *path, const char *sql, int64_t *checksum);

/// Reads all rows of `sql`, of the columns integer, text, real, integer, text, into an array of structs with copies of
/// the texts. Adds up the same as `reference_read_rows`. Returns the number of rows, or -1 with a failure.
int64_t reference_read_records(const char *path, const char *sql, int64_t *checksum);

/// A connection with statements that are compiled once.
typedef struct reference_connection reference_connection;
typedef struct reference_statement reference_statement;

/// Opens a database, `:memory:` for one in memory, and runs a script. NULL with a failure.
reference_connection *reference_open(const char *path, const char *script);

/// Runs statements. Returns 0, or the code of a failure.
int reference_execute(reference_connection *connection, const char *sql);

/// Compiles a statement. NULL with a failure.
reference_statement *reference_prepare(reference_connection *connection, const char *sql);

/// `BEGIN IMMEDIATE`, the statement with two integers, `COMMIT`. Returns 0, or the code of a failure.
int reference_transaction(reference_connection *connection, reference_statement *statement, int64_t first,
                          int64_t second);

/// A transaction that runs the statement `count` times, with a text and an integer. Returns 0, or the code of a failure.
int reference_bulk_transaction(reference_connection *connection, reference_statement *statement, const char *text,
                               int64_t count);

/// Runs a query with two integers, as many as it takes, and adds up the integers of its first column.
int64_t reference_sum(reference_statement *statement, int64_t first, int64_t second);

void reference_finalize(reference_statement *statement);
void reference_close(reference_connection *connection);

/// The version of the library.
const char *reference_version(void);

/// Bytes that are allocated and not freed, and the greatest resident memory so far.
int64_t reference_allocated_bytes(void);
int64_t reference_peak_bytes(void);

#endif
