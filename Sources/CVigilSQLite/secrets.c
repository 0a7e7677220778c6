// Access to the bytes of a database file, and of keys, and the lock of SQLCipher's settings.

#include "CVigilSQLite.h"
#include <pthread.h>

void vigil_wipe(void *bytes, long count) {
  volatile unsigned char *position = bytes;
  for (long index = 0; index < count; index++)
    position[index] = 0;
}

static _Thread_local const char *compiled_sql;

const char *vigil_exchange_compiled_sql(const char *sql) {
  const char *previous = compiled_sql;
  compiled_sql = sql;
  return previous;
}

const char *vigil_compiled_sql(void) { return compiled_sql; }

static pthread_mutex_t settings_mutex;

static void create_settings_mutex(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&settings_mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

void vigil_lock_cipher_settings(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, create_settings_mutex);
  pthread_mutex_lock(&settings_mutex);
}

void vigil_unlock_cipher_settings(void) { pthread_mutex_unlock(&settings_mutex); }

// The beginning of `sqlite3_file` and `sqlite3_io_methods`, which are the same in all versions.
struct file_methods;
struct open_file {
  const struct file_methods *methods;
};
struct file_methods {
  int version;
  int (*close)(struct open_file *);
  int (*read)(struct open_file *, void *, int, long long);
  int (*write)(struct open_file *, const void *, int, long long);
  int (*truncate)(struct open_file *, long long);
  int (*sync)(struct open_file *, int);
  int (*size)(struct open_file *, long long *);
};

long long vigil_sqlite_read_header(const vigil_sqlite_api *api, struct sqlite3 *db, void *header,
                                   int count) {
  const int file_pointer = 7, ok = 0;
  struct open_file *file = 0;
  long long size = -1;
  if (api->file_control(db, "main", file_pointer, &file) != ok || !file || !file->methods)
    return -1;
  if (file->methods->size(file, &size) != ok)
    return -1;
  // A short file is padded with zeros.
  (void)file->methods->read(file, header, count, 0);
  return size;
}
