// Custom SQL functions: dispatches calls from several libraries to the functions that were added to them.

#include "CVigilSQLite.h"
#include <pthread.h>
#include <stdlib.h>

enum { no_memory = 7, no_slot = VIGIL_SQLITE_NO_SLOT };

static pthread_mutex_t slots_mutex = PTHREAD_MUTEX_INITIALIZER;

// A slot is written once, before the functions that read it are registered with the library.
static const vigil_sqlite_api *slots[VIGIL_SQLITE_LIBRARY_LIMIT];

#define VIGIL_SLOT(n)                                                                              \
  static void call_##n(struct sqlite3_context *context, int count, struct sqlite3_value **values) { \
    const vigil_sqlite_function *function = slots[n]->user_data(context);                          \
    function->call(function->context, context, count, values);                                     \
  }                                                                                                \
  static void finish_##n(struct sqlite3_context *context) {                                        \
    const vigil_sqlite_function *function = slots[n]->user_data(context);                          \
    function->finish(function->context, context);                                                  \
  }

VIGIL_SLOT(0)
VIGIL_SLOT(1)
VIGIL_SLOT(2)
VIGIL_SLOT(3)
VIGIL_SLOT(4)
VIGIL_SLOT(5)
VIGIL_SLOT(6)
VIGIL_SLOT(7)

static const struct {
  void (*call)(struct sqlite3_context *, int, struct sqlite3_value **);
  void (*finish)(struct sqlite3_context *);
} trampolines[VIGIL_SQLITE_LIBRARY_LIMIT] = {
    {call_0, finish_0}, {call_1, finish_1}, {call_2, finish_2}, {call_3, finish_3},
    {call_4, finish_4}, {call_5, finish_5}, {call_6, finish_6}, {call_7, finish_7},
};

/// Returns the slot of the library, or -1 if there is none left.
static int slot_of(const vigil_sqlite_api *api) {
  int found = -1;
  pthread_mutex_lock(&slots_mutex);
  for (int slot = 0; slot < VIGIL_SQLITE_LIBRARY_LIMIT && found < 0; slot++) {
    if (!slots[slot])
      slots[slot] = api;
    if (slots[slot] == api)
      found = slot;
  }
  pthread_mutex_unlock(&slots_mutex);
  return found;
}

static void release(void *pointer) {
  vigil_sqlite_function *function = pointer;
  function->release(function->context);
  free(function);
}

int vigil_sqlite_create_function(const vigil_sqlite_api *api, struct sqlite3 *db, const char *name,
                                 int argument_count, int flags, vigil_sqlite_function function) {
  int slot = slot_of(api);
  vigil_sqlite_function *copy = slot < 0 ? 0 : malloc(sizeof *copy);
  if (!copy) {
    function.release(function.context);
    return slot < 0 ? no_slot : no_memory;
  }
  *copy = function;
  // The library calls `release` even if it does not accept the function.
  if (function.finish)
    return api->create_function_v2(db, name, argument_count, flags, copy, 0, trampolines[slot].call,
                                   trampolines[slot].finish, release);
  return api->create_function_v2(db, name, argument_count, flags, copy, trampolines[slot].call, 0, 0,
                                 release);
}
