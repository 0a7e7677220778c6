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
