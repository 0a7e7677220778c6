#include "CReference.h"

#if defined(REFERENCE_SERVER)

#include <stdio.h>
#include <stdlib.h>

// The functions of libpq that are called here, so that its headers are not needed.
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;

extern PGconn *PQconnectdb(const char *address);
extern int PQstatus(const PGconn *connection);
extern void PQfinish(PGconn *connection);
extern PGresult *PQexec(PGconn *connection, const char *sql);
extern PGresult *PQprepare(PGconn *connection, const char *name, const char *sql, int count, const unsigned *types);
extern PGresult *PQexecPrepared(PGconn *connection, const char *name, int count, const char *const *values,
                                const int *lengths, const int *formats, int format);
extern int PQsendQueryPrepared(PGconn *connection, const char *name, int count, const char *const *values,
                               const int *lengths, const int *formats, int format);
extern int PQsetSingleRowMode(PGconn *connection);
extern PGresult *PQgetResult(PGconn *connection);
extern int PQresultStatus(const PGresult *result);
extern int PQntuples(const PGresult *result);
extern int PQnfields(const PGresult *result);
extern unsigned PQftype(const PGresult *result, int column);
extern int PQgetisnull(const PGresult *result, int row, int column);
extern char *PQgetvalue(const PGresult *result, int row, int column);
extern int PQgetlength(const PGresult *result, int row, int column);
extern void PQclear(PGresult *result);
extern PGcancel *PQgetCancel(PGconn *connection);
extern int PQcancel(PGcancel *cancel, char *message, int size);
extern void PQfreeCancel(PGcancel *cancel);

enum { COMMAND_OK = 1, TUPLES_OK = 2, SINGLE_TUPLE = 9 };
enum { TYPE_INT8 = 20, TYPE_FLOAT8 = 701 };
static const char *const statement = "reference";

struct reference_server {
  PGconn *connection;
};

static int succeeded(const PGresult *result) {
  int status = PQresultStatus(result);
  return status == COMMAND_OK || status == TUPLES_OK;
}

reference_server *reference_server_open(const char *address) {
  reference_server *server = calloc(1, sizeof *server);
  if (!server)
    return 0;
  server->connection = PQconnectdb(address);
  if (PQstatus(server->connection) == 0)
    return server;
  reference_server_close(server);
  return 0;
}

void reference_server_close(reference_server *server) {
  PQfinish(server->connection);
  free(server);
}

int reference_server_execute(reference_server *server, const char *sql) {
  PGresult *result = PQexec(server->connection, sql);
  int code = succeeded(result) ? 0 : -1;
  PQclear(result);
  return code;
}

int reference_server_prepare(reference_server *server, const char *sql) {
  PGresult *result = PQprepare(server->connection, statement, sql, 0, 0);
  int code = succeeded(result) ? 0 : -1;
  PQclear(result);
  return code;
}

int64_t reference_server_transaction(reference_server *server, const char *begin, int count, const int64_t *values) {
  char texts[4][24];
  const char *parameters[4];
  if (count > 4 || reference_server_execute(server, begin))
    return -1;
  for (int i = 0; i < count; i++) {
    snprintf(texts[i], sizeof texts[i], "%lld", (long long)values[i]);
    parameters[i] = texts[i];
  }
  PGresult *result = PQexecPrepared(server->connection, statement, count, parameters, 0, 0, 0);
  int64_t value = succeeded(result) ? 0 : -1;
  if (PQntuples(result) > 0)
    value = strtoll(PQgetvalue(result, 0, 0), 0, 10);
  PQclear(result);
  return reference_server_execute(server, "COMMIT") ? -1 : value;
}

/// Returns the sum of the values of a row, as `reference_read_rows` does.
static int64_t sum_of_row(const PGresult *result, int row, int columns, const unsigned *types) {
  int64_t sum = 0;
  for (int i = 0; i < columns; i++) {
    if (PQgetisnull(result, row, i))
      continue;
    const char *value = PQgetvalue(result, row, i);
    switch (types[i]) {
    case TYPE_INT8:
      sum += strtoll(value, 0, 10);
      break;
    case TYPE_FLOAT8:
      sum += (int64_t)strtod(value, 0);
      break;
    default:
      sum += PQgetlength(result, row, i) + (unsigned char)value[0];
    }
  }
  return sum;
}

int64_t reference_server_read_rows(reference_server *server, const char *begin, int64_t *checksum) {
  unsigned types[16];
  *checksum = 0;
  if (reference_server_execute(server, begin))
    return -1;
  PGresult *result = PQexecPrepared(server->connection, statement, 0, 0, 0, 0, 0);
  int rows = PQntuples(result), columns = PQnfields(result);
  for (int i = 0; i < columns && i < 16; i++)
    types[i] = PQftype(result, i);
  for (int row = 0; columns <= 16 && row < rows; row++)
    *checksum += sum_of_row(result, row, columns, types);
  PQclear(result);
  return reference_server_execute(server, "COMMIT") ? -1 : rows;
}

int64_t reference_server_first_row(reference_server *server, const char *begin) {
  if (reference_server_execute(server, begin) ||
      !PQsendQueryPrepared(server->connection, statement, 0, 0, 0, 0, 0) || !PQsetSingleRowMode(server->connection))
    return -1;
  PGresult *result = PQgetResult(server->connection);
  int64_t value = -1;
  if (PQresultStatus(result) == SINGLE_TUPLE)
    value = strtoll(PQgetvalue(result, 0, 0), 0, 10);
  PQclear(result);
  return value;
}

int reference_server_end_rows(reference_server *server) {
  char message[256];
  PGcancel *cancel = PQgetCancel(server->connection);
  PQcancel(cancel, message, sizeof message);
  PQfreeCancel(cancel);
  for (PGresult *result; (result = PQgetResult(server->connection));)
    PQclear(result);
  return reference_server_execute(server, "ROLLBACK");
}

#endif
