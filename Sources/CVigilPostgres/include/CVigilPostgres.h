// The table of C entry points through which Vigil calls libpq, the client library of PostgreSQL.
//
// The list `VIGIL_POSTGRES_FUNCTIONS` is used twice: here to declare the struct, and in `linked.c` to fill it from
// the library that this build links. It names only the functions that Vigil calls.
//
// Compiling this requires no header of libpq. Its enumerations are declared as `unsigned int`, the type that
// compilers give them.

#ifndef CVIGIL_POSTGRES_H
#define CVIGIL_POSTGRES_H

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

struct pg_conn;
struct pg_result;
struct pg_cancel;

/// Receives the notices and warnings of the server.
typedef void (*vigil_postgres_notice)(void *, const char *);

#define VIGIL_POSTGRES_FUNCTIONS(X)                                                                \
  X(int, libVersion, (void))                                                                       \
  X(struct pg_conn *, connectdbParams,                                                             \
    (const char *const *keywords, const char *const *values, int expand_dbname))                   \
  X(void, finish, (struct pg_conn * connection))                                                   \
  X(unsigned int, status, (const struct pg_conn *connection))                                      \
  X(unsigned int, transactionStatus, (const struct pg_conn *connection))                           \
  X(const char *, parameterStatus, (const struct pg_conn *connection, const char *name))           \
  X(int, serverVersion, (const struct pg_conn *connection))                                        \
  X(int, backendPID, (const struct pg_conn *connection))                                           \
  X(char *, errorMessage, (const struct pg_conn *connection))                                      \
  X(vigil_postgres_notice, setNoticeProcessor,                                                     \
    (struct pg_conn * connection, vigil_postgres_notice processor, void *context))                 \
  X(struct pg_result *, exec, (struct pg_conn * connection, const char *sql))                      \
  X(struct pg_result *, execParams,                                                                \
    (struct pg_conn * connection, const char *sql, int count, const unsigned int *types,           \
     const char *const *values, const int *lengths, const int *formats, int result_format))        \
  X(struct pg_result *, prepare,                                                                   \
    (struct pg_conn * connection, const char *name, const char *sql, int count,                    \
     const unsigned int *types))                                                                   \
  X(struct pg_result *, describePrepared, (struct pg_conn * connection, const char *name))         \
  X(struct pg_result *, execPrepared,                                                              \
    (struct pg_conn * connection, const char *name, int count, const char *const *values,          \
     const int *lengths, const int *formats, int result_format))                                   \
  X(unsigned int, resultStatus, (const struct pg_result *result))                                  \
  X(char *, resultErrorMessage, (const struct pg_result *result))                                  \
  X(char *, resultErrorField, (const struct pg_result *result, int field))                         \
  X(void, clear, (struct pg_result * result))                                                      \
  X(int, ntuples, (const struct pg_result *result))                                                \
  X(int, nfields, (const struct pg_result *result))                                                \
  X(char *, fname, (const struct pg_result *result, int column))                                   \
  X(unsigned int, ftype, (const struct pg_result *result, int column))                             \
  X(char *, getvalue, (const struct pg_result *result, int row, int column))                       \
  X(int, getlength, (const struct pg_result *result, int row, int column))                         \
  X(int, getisnull, (const struct pg_result *result, int row, int column))                         \
  X(char *, cmdStatus, (struct pg_result * result))                                                \
  X(char *, cmdTuples, (struct pg_result * result))                                                \
  X(int, nparams, (const struct pg_result *result))                                                \
  X(unsigned int, paramtype, (const struct pg_result *result, int parameter))                      \
  X(struct pg_cancel *, getCancel, (struct pg_conn * connection))                                  \
  X(int, cancel, (struct pg_cancel * cancel, char *message, int size))                             \
  X(void, freeCancel, (struct pg_cancel * cancel))

#define VIGIL_POSTGRES_DECLARE(result, name, parameters) result(*_Nonnull name) parameters;

/// The entry points of libpq. Once filled, the table does not change, and it is never freed.
typedef struct vigil_postgres_api {
  VIGIL_POSTGRES_FUNCTIONS(VIGIL_POSTGRES_DECLARE)
} vigil_postgres_api;

/// Returns the entry points of the libpq that this build links, or NULL in a build without the trait PostgreSQL.
const vigil_postgres_api *_Nullable vigil_postgres_linked_api(void);

#pragma clang diagnostic pop
#endif
