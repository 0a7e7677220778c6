// Fills a table of entry points from a library that is opened at run time.

#define _GNU_SOURCE
#include "CVigilSQLite.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define VIGIL_SANITIZER 1
#endif
#endif

static char *failure_message(const char *format, const char *a, const char *b) {
  size_t size = strlen(format) + strlen(a) + strlen(b) + 1;
  char *message = malloc(size);
  if (message)
    snprintf(message, size, format, a, b);
  return message;
}

// Several libraries export the same symbols. Those of this one must not become visible to the rest of the
// process (RTLD_LOCAL), and its references must not bind to another library (RTLD_DEEPBIND; the two-level
// namespace of Apple platforms has the same effect).
static int open_flags(void) {
#if defined(RTLD_DEEPBIND) && !defined(VIGIL_SANITIZER)
  return RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#else
  return RTLD_NOW | RTLD_LOCAL;
#endif
}

const vigil_sqlite_api *vigil_sqlite_load_api(const char *path, char **failure) {
  *failure = 0;
#if defined(VIGIL_SANITIZER) && defined(VIGIL_TRAIT_SQLITE) && defined(RTLD_DEEPBIND)
  *failure = failure_message("%s cannot be loaded alongside libsqlite3 under a sanitizer, which forbids "
                             "RTLD_DEEPBIND%s",
                             path, "");
  return 0;
#endif
  void *library = dlopen(path, open_flags());
  if (!library) {
    const char *reason = dlerror();
    *failure = failure_message("%s%s", reason ? reason : path, "");
    return 0;
  }
  vigil_sqlite_api *api = calloc(1, sizeof *api);
  if (!api) {
    *failure = failure_message("out of memory while loading %s%s", path, "");
    dlclose(library);
    return 0;
  }
  void *function;
#define VIGIL_LOAD_OPTIONAL(result, name, parameters)                                              \
  *(void **)&api->name = dlsym(library, "sqlite3_" #name);
#define VIGIL_LOAD_REQUIRED(result, name, parameters)                                              \
  function = dlsym(library, "sqlite3_" #name);                                                     \
  if (!function) {                                                                                 \
    *failure = failure_message("%s has no function sqlite3_%s", path, #name);                      \
    free(api);                                                                                     \
    dlclose(library);                                                                              \
    return 0;                                                                                      \
  }                                                                                                \
  *(void **)&api->name = function;
  VIGIL_SQLITE_REQUIRED(VIGIL_LOAD_REQUIRED)
  VIGIL_SQLITE_OPTIONAL(VIGIL_LOAD_OPTIONAL)
  return api;
}

int vigil_sqlite_db_config_flag(const vigil_sqlite_api *api, struct sqlite3 *db, int operation,
                                int value, int *result) {
  return api->db_config(db, operation, value, result);
}

int vigil_sqlite_config_log(const vigil_sqlite_api *api,
                            void (*log)(void *context, int code, const char *message)) {
  const int config_log = 16;
  return api->config(config_log, log, (void *)0);
}

int vigil_sqlite_same_name(const char *a, const char *b) {
  for (;; a++, b++) {
    unsigned char x = (unsigned char)*a, y = (unsigned char)*b;
    if (x >= 'A' && x <= 'Z')
      x += 32;
    if (y >= 'A' && y <= 'Z')
      y += 32;
    if (x != y)
      return 0;
    if (!x)
      return 1;
  }
}
