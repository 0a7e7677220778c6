#include "CReference.h"
#include "reference_statement.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

struct reference_connection {
  sqlite3 *db;
  sqlite3_stmt *begin, *commit;
};

reference_connection *reference_open(const char *path, const char *script) {
  reference_connection *connection = calloc(1, sizeof *connection);
  if (!connection)
    return 0;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &connection->db, flags, 0) != SQLITE_OK ||
      sqlite3_exec(connection->db, script, 0, 0, 0) != SQLITE_OK ||
      sqlite3_prepare_v2(connection->db, "BEGIN IMMEDIATE", -1, &connection->begin, 0) != SQLITE_OK ||
      sqlite3_prepare_v2(connection->db, "COMMIT", -1, &connection->commit, 0) != SQLITE_OK) {
    reference_close(connection);
    return 0;
  }
  return connection;
}

int reference_execute(reference_connection *connection, const char *sql) {
  return sqlite3_exec(connection->db, sql, 0, 0, 0);
}

reference_statement *reference_prepare(reference_connection *connection, const char *sql) {
  reference_statement *statement = calloc(1, sizeof *statement);
  if (statement && sqlite3_prepare_v2(connection->db, sql, -1, &statement->statement, 0) != SQLITE_OK) {
    reference_finalize(statement);
    return 0;
  }
  return statement;
}

static int run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int reference_transaction(reference_connection *connection, reference_statement *statement, int64_t first,
                          int64_t second) {
  int code = run(connection->begin);
  sqlite3_bind_int64(statement->statement, 1, first);
  sqlite3_bind_int64(statement->statement, 2, second);
  if (!code)
    code = run(statement->statement);
  if (!code)
    code = run(connection->commit);
  return code;
}

int reference_bulk_transaction(reference_connection *connection, reference_statement *statement, const char *text,
                               int64_t count) {
  int code = run(connection->begin);
  for (int64_t i = 0; i < count && !code; i++) {
    sqlite3_bind_text(statement->statement, 1, text, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(statement->statement, 2, i);
    code = run(statement->statement);
  }
  if (!code)
    code = run(connection->commit);
  return code;
}

int reference_save_records(reference_connection *connection, reference_statement *statement, int64_t count,
                           int64_t first_id) {
  sqlite3_stmt *save = statement->statement;
  int code = run(connection->begin);
  for (int64_t i = 1; i <= count && !code; i++) {
    char name[40];
    int length = snprintf(name, sizeof name, "player number %lld", (long long)i);
    if (first_id)
      sqlite3_bind_int64(save, 1, first_id + i - 1);
    sqlite3_bind_text(save, 2, name, length, SQLITE_TRANSIENT);
    sqlite3_bind_double(save, 3, (double)i * 1.5);
    sqlite3_bind_int64(save, 4, i % 20);
    code = run(save);
  }
  if (!code)
    code = run(connection->commit);
  return code;
}

int64_t reference_sum(reference_statement *statement, int64_t first, int64_t second) {
  sqlite3_stmt *query = statement->statement;
  int parameters = sqlite3_bind_parameter_count(query);
  int64_t sum = 0;
  if (parameters > 0)
    sqlite3_bind_int64(query, 1, first);
  if (parameters > 1)
    sqlite3_bind_int64(query, 2, second);
  while (sqlite3_step(query) == SQLITE_ROW)
    sum += sqlite3_column_int64(query, 0);
  sqlite3_reset(query);
  return sum;
}

void reference_finalize(reference_statement *statement) {
  if (!statement)
    return;
  sqlite3_finalize(statement->statement);
  free(statement);
}

void reference_close(reference_connection *connection) {
  sqlite3_finalize(connection->begin);
  sqlite3_finalize(connection->commit);
  sqlite3_close(connection->db);
  free(connection);
}

const char *reference_version(void) { return sqlite3_libversion(); }
