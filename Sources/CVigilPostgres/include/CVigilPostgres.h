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
  X(int, setnonblocking, (struct pg_conn * connection, int isNonblocking))                         \
  X(int, socket, (const struct pg_conn *connection))                                               \
  X(int, flush, (struct pg_conn * connection))                                                     \
  X(int, consumeInput, (struct pg_conn * connection))                                              \
  X(int, isBusy, (struct pg_conn * connection))                                                    \
  X(struct pg_result *, getResult, (struct pg_conn * connection))                                  \
  X(int, sendQuery, (struct pg_conn * connection, const char *sql))                                \
  X(int, sendQueryParams,                                                                          \
    (struct pg_conn * connection, const char *sql, int count, const unsigned int *types,           \
     const char *const *values, const int *lengths, const int *formats, int result_format))        \
  X(int, sendPrepare,                                                                              \
    (struct pg_conn * connection, const char *name, const char *sql, int count,                    \
     const unsigned int *types))                                                                   \
  X(int, sendDescribePrepared, (struct pg_conn * connection, const char *name))                    \
  X(int, sendQueryPrepared,                                                                        \
    (struct pg_conn * connection, const char *name, int count, const char *const *values,          \
     const int *lengths, const int *formats, int result_format))                                   \
  X(int, setSingleRowMode, (struct pg_conn * connection))                                          \
  X(int, enterPipelineMode, (struct pg_conn * connection))                                         \
  X(int, exitPipelineMode, (struct pg_conn * connection))                                          \
  X(int, pipelineSync, (struct pg_conn * connection))                                              \
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
  X(int, getCopyData, (struct pg_conn * connection, char **buffer, int isAsync))                   \
  X(int, putCopyData, (struct pg_conn * connection, const char *bytes, int count))                 \
  X(void, freemem, (void *memory))                                                                 \
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

/// Waits until a socket can be read, or also until it can be written.
///
/// Returns 0 after the time, and another number if the socket is ready or has failed.
int vigil_postgres_wait(int socket, int for_writing, int milliseconds);

#pragma clang diagnostic pop
#endif
