// The table of C entry points through which Vigil calls a library of the SQLite family.
//
// The lists `VIGIL_SQLITE_REQUIRED` and `VIGIL_SQLITE_OPTIONAL` are used three times: here to declare the
// struct, in `linked.c` to fill it from the library that this build links, and in `loaded.c` to fill it from
// a library that is opened at run time. Functions that a library may lack are in the optional list; their
// pointers can be NULL.
//
// Compiling this requires no header of SQLite or SQLCipher.

#ifndef CVIGIL_SQLITE_H
#define CVIGIL_SQLITE_H

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

struct sqlite3;
struct sqlite3_stmt;
struct sqlite3_value;
struct sqlite3_context;
struct sqlite3_backup;
struct sqlite3_vfs;

typedef void (*vigil_destructor)(void *);

#define VIGIL_SQLITE_REQUIRED(X)                                                                   \
  X(const char *, libversion, (void))                                                              \
  X(int, libversion_number, (void))                                                                \
  X(int, compileoption_used, (const char *name))                                                   \
  X(int, open_v2, (const char *path, struct sqlite3 **db, int flags, const char *vfs))             \
  X(int, close, (struct sqlite3 * db))                                                             \
  X(int, close_v2, (struct sqlite3 * db))                                                          \
  X(int, extended_errcode, (struct sqlite3 * db))                                                  \
  X(const char *, errmsg, (struct sqlite3 * db))                                                   \
  X(const char *, errstr, (int code))                                                              \
  X(int, extended_result_codes, (struct sqlite3 * db, int on))                                     \
  X(int, limit, (struct sqlite3 * db, int id, int value))                                          \
  X(int, get_autocommit, (struct sqlite3 * db))                                                    \
  X(void, interrupt, (struct sqlite3 * db))                                                        \
  X(int, changes, (struct sqlite3 * db))                                                           \
  X(int, total_changes, (struct sqlite3 * db))                                                     \
  X(long long, last_insert_rowid, (struct sqlite3 * db))                                           \
  X(const char *, db_filename, (struct sqlite3 * db, const char *schema))                          \
  X(int, db_release_memory, (struct sqlite3 * db))                                                 \
  X(int, db_status, (struct sqlite3 * db, int op, int *current, int *highest, int reset))          \
  X(int, file_control, (struct sqlite3 * db, const char *schema, int op, void *argument))          \
  X(int, busy_handler, (struct sqlite3 * db, int (*handler)(void *, int), void *context))          \
  X(int, prepare_v2,                                                                               \
    (struct sqlite3 * db, const char *sql, int bytes, struct sqlite3_stmt **statement,             \
     const char **tail))                                                                           \
  X(int, finalize, (struct sqlite3_stmt * statement))                                              \
  X(int, reset, (struct sqlite3_stmt * statement))                                                 \
  X(int, step, (struct sqlite3_stmt * statement))                                                  \
  X(const char *, sql, (struct sqlite3_stmt * statement))                                          \
  X(char *, expanded_sql, (struct sqlite3_stmt * statement))                                       \
  X(int, stmt_readonly, (struct sqlite3_stmt * statement))                                         \
  X(int, stmt_busy, (struct sqlite3_stmt * statement))                                             \
  X(struct sqlite3_stmt *, next_stmt, (struct sqlite3 * db, struct sqlite3_stmt * after))          \
  X(int, clear_bindings, (struct sqlite3_stmt * statement))                                        \
  X(int, bind_parameter_count, (struct sqlite3_stmt * statement))                                  \
  X(const char *, bind_parameter_name, (struct sqlite3_stmt * statement, int index))               \
  X(int, bind_null, (struct sqlite3_stmt * statement, int index))                                  \
  X(int, bind_int64, (struct sqlite3_stmt * statement, int index, long long value))                \
  X(int, bind_double, (struct sqlite3_stmt * statement, int index, double value))                  \
  X(int, bind_text,                                                                                \
    (struct sqlite3_stmt * statement, int index, const char *text, int bytes,                      \
     vigil_destructor destructor))                                                                 \
  X(int, bind_blob,                                                                                \
    (struct sqlite3_stmt * statement, int index, const void *blob, int bytes,                      \
     vigil_destructor destructor))                                                                 \
  X(int, bind_zeroblob, (struct sqlite3_stmt * statement, int index, int bytes))                   \
  X(int, column_count, (struct sqlite3_stmt * statement))                                          \
  X(const char *, column_name, (struct sqlite3_stmt * statement, int index))                       \
  X(long long, column_int64, (struct sqlite3_stmt * statement, int index))                         \
  X(struct sqlite3_value *, column_value, (struct sqlite3_stmt * statement, int index))            \
  X(int, value_type, (struct sqlite3_value * value))                                               \
  X(long long, value_int64, (struct sqlite3_value * value))                                        \
  X(double, value_double, (struct sqlite3_value * value))                                          \
  X(const unsigned char *, value_text, (struct sqlite3_value * value))                             \
  X(const void *, value_blob, (struct sqlite3_value * value))                                      \
  X(int, value_bytes, (struct sqlite3_value * value))                                              \
  X(struct sqlite3_value *, value_dup, (const struct sqlite3_value *value))                        \
  X(void, value_free, (struct sqlite3_value * value))                                              \
  X(void, result_null, (struct sqlite3_context * context))                                         \
  X(void, result_int64, (struct sqlite3_context * context, long long value))                       \
  X(void, result_double, (struct sqlite3_context * context, double value))                         \
  X(void, result_text,                                                                             \
    (struct sqlite3_context * context, const char *text, int bytes, vigil_destructor destructor))  \
  X(void, result_blob,                                                                             \
    (struct sqlite3_context * context, const void *blob, int bytes, vigil_destructor destructor))  \
  X(void, result_error, (struct sqlite3_context * context, const char *message, int bytes))        \
  X(void, result_error_code, (struct sqlite3_context * context, int code))                         \
  X(void *, user_data, (struct sqlite3_context * context))                                         \
  X(void *, aggregate_context, (struct sqlite3_context * context, int bytes))                      \
  X(int, create_function_v2,                                                                       \
    (struct sqlite3 * db, const char *name, int argument_count, int flags, void *context,          \
     void (*function)(struct sqlite3_context *, int, struct sqlite3_value **),                     \
     void (*step)(struct sqlite3_context *, int, struct sqlite3_value **),                         \
     void (*final)(struct sqlite3_context *), vigil_destructor destructor))                        \
  X(int, create_collation_v2,                                                                      \
    (struct sqlite3 * db, const char *name, int encoding, void *context,                           \
     int (*compare)(void *, int, const void *, int, const void *), vigil_destructor destructor))   \
  X(int, set_authorizer,                                                                           \
    (struct sqlite3 * db,                                                                          \
     int (*authorizer)(void *, int, const char *, const char *, const char *, const char *),       \
     void *context))                                                                               \
  X(void *, commit_hook, (struct sqlite3 * db, int (*hook)(void *), void *context))                \
  X(void *, rollback_hook, (struct sqlite3 * db, void (*hook)(void *), void *context))             \
  X(void *, update_hook,                                                                           \
    (struct sqlite3 * db,                                                                          \
     void (*hook)(void *, int, const char *, const char *, long long), void *context))             \
  X(int, trace_v2,                                                                                 \
    (struct sqlite3 * db, unsigned mask, int (*trace)(unsigned, void *, void *, void *),           \
     void *context))                                                                               \
  X(int, wal_checkpoint_v2,                                                                        \
    (struct sqlite3 * db, const char *schema, int mode, int *log_frames, int *checkpointed))       \
  X(struct sqlite3_backup *, backup_init,                                                          \
    (struct sqlite3 * to, const char *to_schema, struct sqlite3 * from, const char *from_schema))  \
  X(int, backup_step, (struct sqlite3_backup * backup, int pages))                                 \
  X(int, backup_finish, (struct sqlite3_backup * backup))                                          \
  X(int, backup_remaining, (struct sqlite3_backup * backup))                                       \
  X(int, backup_pagecount, (struct sqlite3_backup * backup))                                       \
  X(int, table_column_metadata,                                                                    \
    (struct sqlite3 * db, const char *schema, const char *table, const char *column,               \
     const char **type, const char **collation, int *not_null, int *primary_key,                   \
     int *autoincrement))                                                                          \
  X(int, db_config, (struct sqlite3 * db, int op, ...))                                            \
  X(struct sqlite3_vfs *, vfs_find, (const char *name))                                            \
  X(int, vfs_register, (struct sqlite3_vfs * vfs, int is_default))                                 \
  X(int, vfs_unregister, (struct sqlite3_vfs * vfs))                                               \
  X(int, config, (int op, ...))                                                                    \
  X(void, free, (void *memory))

#define VIGIL_SQLITE_OPTIONAL(X)                                                                   \
  X(int, prepare_v3,                                                                               \
    (struct sqlite3 * db, const char *sql, int bytes, unsigned flags,                              \
     struct sqlite3_stmt **statement, const char **tail))                                          \
  X(void *, preupdate_hook,                                                                        \
    (struct sqlite3 * db,                                                                          \
     void (*hook)(void *, struct sqlite3 *, int, const char *, const char *, long long,            \
                  long long),                                                                      \
     void *context))                                                                               \
  X(int, preupdate_old, (struct sqlite3 * db, int index, struct sqlite3_value **value))            \
  X(int, preupdate_new, (struct sqlite3 * db, int index, struct sqlite3_value **value))            \
  X(int, preupdate_count, (struct sqlite3 * db))                                                   \
  X(int, stmt_status, (struct sqlite3_stmt * statement, int counter, int reset))                    \
  X(long long, changes64, (struct sqlite3 * db))                                                   \
  X(long long, total_changes64, (struct sqlite3 * db))                                             \
  X(int, txn_state, (struct sqlite3 * db, const char *schema))                                     \
  X(int, bind_pointer,                                                                             \
    (struct sqlite3_stmt * statement, int index, void *pointer, const char *type,                  \
     vigil_destructor destructor))                                                                 \
  X(int, key_v2, (struct sqlite3 * db, const char *schema, const void *key, int bytes))            \
  X(int, rekey_v2, (struct sqlite3 * db, const char *schema, const void *key, int bytes))

#define VIGIL_DECLARE_REQUIRED(result, name, parameters) result(*_Nonnull name) parameters;
#define VIGIL_DECLARE_OPTIONAL(result, name, parameters) result(*_Nullable name) parameters;

/// The entry points of one library. Once filled, it does not change, and it is never freed.
typedef struct vigil_sqlite_api {
  VIGIL_SQLITE_REQUIRED(VIGIL_DECLARE_REQUIRED)
  VIGIL_SQLITE_OPTIONAL(VIGIL_DECLARE_OPTIONAL)
} vigil_sqlite_api;

/// Returns the entry points of the library that this build links: libsqlite3 with the trait SQLite, else
/// libsqlcipher. Returns NULL if the build links neither.
const vigil_sqlite_api *_Nullable vigil_sqlite_linked_api(void);

/// Opens the library at `path`, which may also be a name that the dynamic loader searches for, and returns its
/// entry points. The library is isolated from others that export the same symbols.
///
/// If the library cannot be opened or lacks a required function, returns NULL and sets `*failure` to a message,
/// which the caller frees with `free()`. The library stays loaded for the lifetime of the process.
const vigil_sqlite_api *_Nullable vigil_sqlite_load_api(const char *_Nonnull path,
                                                        char *_Nullable *_Nonnull failure);

/// Calls `sqlite3_db_config` for a flag. A `value` of 0 or 1 sets the flag, -1 only reads it.
int vigil_sqlite_db_config_flag(const vigil_sqlite_api *_Nonnull api, struct sqlite3 *_Nonnull db,
                                int operation, int value, int *_Nullable result);

/// Makes the library report anomalies to `log`, on any thread, for the lifetime of the process. Returns
/// SQLITE_MISUSE (21) if the library has already been used.
int vigil_sqlite_config_log(const vigil_sqlite_api *_Nonnull api,
                            void (*_Nonnull log)(void *_Nullable context, int code,
                                                 const char *_Nullable message));

/// A custom function, for `vigil_sqlite_create_function`.
typedef struct vigil_sqlite_function {
  /// Passed to all three functions.
  void *_Nullable context;
  /// Calls the function, or adds a row to the aggregate.
  void (*_Nonnull call)(void *_Nullable context, struct sqlite3_context *_Nonnull call_context,
                        int argument_count, struct sqlite3_value *_Nullable *_Nullable arguments);
  /// Ends a group. NULL for a function that is not an aggregate.
  void (*_Nullable finish)(void *_Nullable context, struct sqlite3_context *_Nonnull call_context);
  /// Called once, when the library no longer needs the function, or does not accept it.
  void (*_Nonnull release)(void *_Nullable context);
} vigil_sqlite_function;

/// Calls `sqlite3_create_function_v2` for a function that does not know which library calls it.
///
/// A function gets its context from `sqlite3_user_data`, but the call does not show which library's
/// `sqlite3_user_data` to use. Therefore each library has separate C functions here, for up to
/// `VIGIL_SQLITE_LIBRARY_LIMIT` libraries. Beyond that, this returns `VIGIL_SQLITE_NO_SLOT`.
int vigil_sqlite_create_function(const vigil_sqlite_api *_Nonnull api, struct sqlite3 *_Nonnull db,
                                 const char *_Nonnull name, int argument_count, int flags,
                                 vigil_sqlite_function function);

#define VIGIL_SQLITE_LIBRARY_LIMIT 8

/// Not a result code of a library.
#define VIGIL_SQLITE_NO_SLOT (-1)

/// Receives a token of a full-text search.
typedef int (*vigil_fts5_token)(void *_Nullable context, int flags, const char *_Nullable token, int count,
                                int start, int end);

/// The functions of a tokenizer, as FTS5 declares them in `fts5_tokenizer`.
typedef struct vigil_fts5_tokenizer {
  int (*_Nullable create)(void *_Nullable context, const char *_Nullable *_Nullable arguments, int count,
                          void *_Nullable *_Nonnull tokenizer);
  void (*_Nullable destroy)(void *_Nullable tokenizer);
  int (*_Nullable tokenize)(void *_Nullable tokenizer, void *_Nullable context, int flags,
                            const char *_Nullable text, int count, vigil_fts5_token _Nonnull token);
} vigil_fts5_tokenizer;

/// The beginning of `fts5_api`, the entry points of FTS5 in one connection.
typedef struct vigil_fts5_api {
  int version;
  int (*_Nonnull create_tokenizer)(struct vigil_fts5_api *_Nonnull fts5, const char *_Nonnull name,
                                   void *_Nullable context, vigil_fts5_tokenizer *_Nonnull functions,
                                   vigil_destructor _Nullable destructor);
  int (*_Nonnull find_tokenizer)(struct vigil_fts5_api *_Nonnull fts5, const char *_Nonnull name,
                                 void *_Nullable *_Nonnull context, vigil_fts5_tokenizer *_Nonnull functions);
} vigil_fts5_api;

/// Returns the entry points of FTS5, which exist as long as the connection. Returns NULL if the library has no FTS5, or
/// is older than SQLite 3.20.
vigil_fts5_api *_Nullable vigil_sqlite_fts5(const vigil_sqlite_api *_Nonnull api, struct sqlite3 *_Nonnull db);

/// Returns whether two names are equal, ignoring the case of ASCII letters, as SQLite does.
int vigil_sqlite_same_name(const char *_Nonnull a, const char *_Nonnull b);

/// Reads the first `count` bytes of the database file, through the descriptor that the connection has open: to open
/// and close another one would drop the locks of the process. Returns the size of the file, or -1 if there is none.
long long vigil_sqlite_read_header(const vigil_sqlite_api *_Nonnull api, struct sqlite3 *_Nonnull db,
                                   void *_Nonnull header, int count);

/// Reads from the database file, or from its write-ahead log if `from_log` is set, through the connection's descriptors.
/// Returns whether all bytes were read. Without a write-ahead log, the result of reading it is not defined.
int vigil_sqlite_read(const vigil_sqlite_api *_Nonnull api, struct sqlite3 *_Nonnull db, int from_log,
                      void *_Nonnull bytes, int count, long long offset);

/// Copies the first `count` bytes of the index of the write-ahead log, from the shared memory of the connection. Returns
/// whether it exists. Call it only for a connection that has opened the log.
int vigil_sqlite_read_log_index(const vigil_sqlite_api *_Nonnull api, struct sqlite3 *_Nonnull db,
                                void *_Nonnull bytes, int count);

/// Keeps a connection from taking the journal of another database for its own.
typedef struct vigil_sqlite_journal_guard vigil_sqlite_journal_guard;

/// Calls `sqlite3_open_v2` for a connection that finds no journal after its file was replaced by another one.
///
/// Sets `*guard` to memory that the connection uses, which is freed by `vigil_sqlite_free_guard` after the connection
/// was closed. Sets it to NULL if the library's default VFS is not `unix`; the connection is not guarded then.
int vigil_sqlite_open_guarded(const vigil_sqlite_api *_Nonnull api, const char *_Nonnull path,
                              struct sqlite3 *_Nullable *_Nonnull db, int flags,
                              vigil_sqlite_journal_guard *_Nullable *_Nonnull guard);

void vigil_sqlite_free_guard(vigil_sqlite_journal_guard *_Nullable guard);

/// Overwrites bytes with zeros, in a way that compilers do not remove.
void vigil_wipe(void *_Nonnull bytes, long count);

/// Sets the SQL that this thread compiles, or NULL, and returns the SQL that was set before. Messages of the error log
/// may quote a part of it.
const char *_Nullable vigil_exchange_compiled_sql(const char *_Nullable sql);

/// Returns the SQL that this thread compiles, or NULL.
const char *_Nullable vigil_compiled_sql(void);

/// Locks the settings that SQLCipher has once per process: its defaults and its log. A thread can lock them several
/// times, and must unlock them as often.
void vigil_lock_cipher_settings(void);
void vigil_unlock_cipher_settings(void);

#pragma clang diagnostic pop
#endif
