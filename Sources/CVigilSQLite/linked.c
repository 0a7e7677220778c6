// Fills the table of entry points from the library that this build links.

#define _GNU_SOURCE
#include "CVigilSQLite.h"
#include <dlfcn.h>
#include <pthread.h>

#if defined(VIGIL_TRAIT_SQLITE) || defined(VIGIL_TRAIT_SQLCIPHER)

#if defined(VIGIL_TRAIT_SQLITE)
// Only so that the compiler compares our declarations with those of the library.
#include <sqlite3.h>
#endif

#define VIGIL_EXTERN(result, name, parameters) extern result sqlite3_##name parameters;
VIGIL_SQLITE_REQUIRED(VIGIL_EXTERN)

static vigil_sqlite_api linked_api = {
#define VIGIL_REFER(result, name, parameters) .name = sqlite3_##name,
    VIGIL_SQLITE_REQUIRED(VIGIL_REFER)};

static void find_optional_functions(void) {
#define VIGIL_FIND(result, name, parameters)                                                       \
  *(void **)&linked_api.name = dlsym(RTLD_DEFAULT, "sqlite3_" #name);
  VIGIL_SQLITE_OPTIONAL(VIGIL_FIND)
}

const vigil_sqlite_api *vigil_sqlite_linked_api(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_optional_functions);
  return &linked_api;
}

#else

const vigil_sqlite_api *vigil_sqlite_linked_api(void) { return 0; }

#endif
