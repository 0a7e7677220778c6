// The work of the scenarios with the C library alone.

#ifndef CREFERENCE_H
#define CREFERENCE_H

#include <stdint.h>

/// Reads all rows of `sql` and sets `checksum` to the sum of their values, so that no read can be optimized away.
/// Returns the number of rows, or -1 on failure.
int64_t reference_read_rows(const char *path, const char *sql, int64_t *checksum);

/// Reads all rows of `sql`, with the columns integer, text, real, integer, text, into an array of structs with copies
/// of the texts. Sets `checksum` as `reference_read_rows` does. Returns the number of rows, or -1 on failure.
int64_t reference_read_records(const char *path, const char *sql, int64_t *checksum);

/// A connection, with compiled BEGIN and COMMIT statements.
typedef struct reference_connection reference_connection;
typedef struct reference_statement reference_statement;

/// Opens a database, in memory if `path` is `:memory:`, and runs a script. Returns NULL on failure.
reference_connection *reference_open(const char *path, const char *script);

/// Runs statements. Returns 0, or an error code.
int reference_execute(reference_connection *connection, const char *sql);

/// Compiles a statement. Returns NULL on failure.
reference_statement *reference_prepare(reference_connection *connection, const char *sql);

/// Runs `BEGIN IMMEDIATE`, the statement with two integers, and `COMMIT`. Returns 0, or an error code.
int reference_transaction(reference_connection *connection, reference_statement *statement, int64_t first,
                          int64_t second);

/// Runs the statement `count` times in one transaction, with a text and an integer. Returns 0, or an error code.
int reference_bulk_transaction(reference_connection *connection, reference_statement *statement, const char *text,
                               int64_t count);

/// Runs the statement `count` times in one transaction, with the columns of a record. The first column is NULL if
/// `first_id` is 0, or else a number from `first_id` on. Returns 0, or an error code.
int reference_save_records(reference_connection *connection, reference_statement *statement, int64_t count,
                           int64_t first_id);

/// Runs a query with as many of the two integers as it has parameters. Returns the sum of the integers of its first
/// column.
int64_t reference_sum(reference_statement *statement, int64_t first, int64_t second);

/// Runs a query with one integer, and copies its row to a struct as `reference_read_records` does. Returns the sum of
/// its values, or -1 if there is no row.
int64_t reference_fetch_record(reference_statement *statement, int64_t key);

void reference_finalize(reference_statement *statement);
void reference_close(reference_connection *connection);

/// Returns the version of the library.
const char *reference_version(void);

/// Returns the bytes that are allocated and not freed, as the allocator counts them.
int64_t reference_allocated_bytes(void);

/// Returns the peak of the resident memory, in bytes.
int64_t reference_peak_bytes(void);

/// A connection to a PostgreSQL server with libpq, and its one prepared statement. Its functions are defined only with
/// the trait PostgreSQL.
typedef struct reference_server reference_server;

/// Connects to a server. Returns NULL on failure.
reference_server *reference_server_open(const char *address);
void reference_server_close(reference_server *server);

/// Runs statements. Returns 0, or -1 on failure.
int reference_server_execute(reference_server *server, const char *sql);

/// Prepares the statement of the connection. Returns 0, or -1 on failure.
int reference_server_prepare(reference_server *server, const char *sql);

/// Runs `begin`, the prepared statement with up to four integers, and `COMMIT`. Returns the first integer of the first
/// row, 0 if there is no row, or -1 on failure.
int64_t reference_server_transaction(reference_server *server, const char *begin, int count, const int64_t *values);

/// Runs `begin`, the prepared statement, and `COMMIT`. Reads all values, and sets `checksum` as `reference_read_rows`
/// does. Returns the number of rows, or -1 on failure.
int64_t reference_server_read_rows(reference_server *server, const char *begin, int64_t *checksum);

/// Runs `begin`, and the prepared statement in single-row mode up to its first row. Returns the first integer of this
/// row, or -1 on failure.
int64_t reference_server_first_row(reference_server *server, const char *begin);

/// Cancels the statement of `reference_server_first_row`, and rolls back. Returns 0, or -1 on failure.
int reference_server_end_rows(reference_server *server);

#endif
