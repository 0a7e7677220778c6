// Keeps a connection from taking the journal of another database for its own.
//
// If another file is renamed to the path of an open database, the journals next to it belong to that file from then on.
// SQLite finds them by name: when it begins to read, it would roll such a journal back into the old file, and delete it.
// A check before each read leaves a gap, in which the file can be replaced. Here, the check follows the search for the
// journal: a file that is in place after a journal was found was in place when it was found.

#include "CVigilSQLite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ok = 0, access_exists = 0, has_moved = 20 };

/// `sqlite3_vfs` of version 3, since SQLite 3.7.6.
struct sqlite3_vfs {
  int version;
  int file_size;
  int longest_path;
  struct sqlite3_vfs *next;
  const char *name;
  void *data;
  void (*open)(void);
  void (*delete)(void);
  int (*access)(struct sqlite3_vfs *, const char *name, int flags, int *result);
  void (*others[13])(void);
};

struct vigil_sqlite_journal_guard {
  /// A copy of the original, apart from `access`. It must be first: the library passes its address.
  struct sqlite3_vfs vfs;
  struct sqlite3_vfs *original;
  const vigil_sqlite_api *api;
  /// The connection; NULL while it is opened.
  struct sqlite3 *db;
  char name[40];
};

/// Returns whether a name is that of the database file with a suffix for a journal.
static int is_journal(const char *name, const char *database) {
  size_t length = strlen(database);
  return strncmp(name, database, length) == 0 &&
         (strcmp(name + length, "-journal") == 0 || strcmp(name + length, "-wal") == 0);
}

static int access_file(struct sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  const vigil_sqlite_journal_guard *guard = (const vigil_sqlite_journal_guard *)vfs;
  struct sqlite3_vfs *original = guard->original;
  int code = original->access(original, name, flags, result);
  if (code != ok || !*result || flags != access_exists || !guard->db)
    return code;
  const char *database = guard->api->db_filename(guard->db, "main");
  int is_moved = 0, is_replaced = 0;
  // The journal of a file that was moved or deleted, but not replaced, may be its own. The library decides what to do.
  if (database && *database && is_journal(name, database) &&
      guard->api->file_control(guard->db, "main", has_moved, &is_moved) == ok && is_moved &&
      original->access(original, database, access_exists, &is_replaced) == ok && is_replaced)
    *result = 0;
  return code;
}

int vigil_sqlite_open_guarded(const vigil_sqlite_api *api, const char *path, struct sqlite3 **db,
                              int flags, vigil_sqlite_journal_guard **guard) {
  struct sqlite3_vfs *original = api->vfs_find(0);
  // A program that registered another default knows better.
  int is_guarded = original && original->version >= 3 && strcmp(original->name, "unix") == 0;
  vigil_sqlite_journal_guard *new = is_guarded ? calloc(1, sizeof *new) : 0;
  *guard = new;
  if (!new)
    return api->open_v2(path, db, flags, 0);
  new->vfs = *original;
  new->vfs.version = 3;
  new->vfs.access = access_file;
  new->original = original;
  new->api = api;
  // The library opens a connection with a VFS that is registered, and keeps its address. The name is only needed until
  // then. Databases that are attached later use the VFS that has the name of the connection's.
  snprintf(new->name, sizeof new->name, "vigil-%p", (void *)new);
  new->vfs.name = new->name;
  int code = api->vfs_register(&new->vfs, 0);
  if (code != ok) {
    free(new);
    *guard = 0;
    return api->open_v2(path, db, flags, 0);
  }
  code = api->open_v2(path, db, flags, new->name);
  api->vfs_unregister(&new->vfs);
  new->vfs.name = original->name;
  new->db = *db;
  return code;
}

void vigil_sqlite_free_guard(vigil_sqlite_journal_guard *guard) { free(guard); }
