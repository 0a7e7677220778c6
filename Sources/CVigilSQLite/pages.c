// Reads the files of a connection through the descriptors that the connection has open: to open and close another one
// would drop the locks of the process.

#include "CVigilSQLite.h"
#include <string.h>

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
  int (*others[6])(void);
  int (*map)(struct open_file *, int region, int size, int extend, volatile void **memory);
};

enum { ok = 0, read_only = 8, file_pointer = 7, map_limit = 18, journal_pointer = 28, region_size = 32768 };

static struct open_file *open_file(const vigil_sqlite_api *api, struct sqlite3 *db, int operation) {
  struct open_file *file = 0;
  if (api->file_control(db, "main", operation, &file) != ok || !file || !file->methods)
    return 0;
  return file;
}

long long vigil_sqlite_read_header(const vigil_sqlite_api *api, struct sqlite3 *db, void *header,
                                   int count) {
  struct open_file *file = open_file(api, db, file_pointer);
  long long size = -1;
  if (!file)
    return -1;
  if (file->methods->size(file, &size) != ok)
    return -1;
  // A short file is padded with zeros.
  (void)file->methods->read(file, header, count, 0);
  return size;
}

int vigil_sqlite_read(const vigil_sqlite_api *api, struct sqlite3 *db, int from_log, void *bytes, int count,
                      long long offset) {
  struct open_file *file = open_file(api, db, from_log ? journal_pointer : file_pointer);
  if (!file)
    return 0;
  long long limit = -1, none = 0, remaining = -1;
  // Files that are never mapped may not know the operation.
  if (from_log || api->file_control(db, "main", map_limit, &limit) != ok || limit <= 0)
    return file->methods->read(file, bytes, count, offset) == ok;
  // With `PRAGMA mmap_size`, the file is read from memory. No lock keeps a checkpoint of another process from
  // shortening it, and the process would end with SIGBUS. The library keeps a mapping that is in use.
  int is_read = api->file_control(db, "main", map_limit, &none) == ok &&
                api->file_control(db, "main", map_limit, &remaining) == ok && remaining == 0 &&
                file->methods->read(file, bytes, count, offset) == ok;
  (void)api->file_control(db, "main", map_limit, &limit);
  return is_read;
}

int vigil_sqlite_read_log_index(const vigil_sqlite_api *api, struct sqlite3 *db, void *bytes, int count) {
  struct open_file *file = open_file(api, db, file_pointer);
  volatile void *memory = 0;
  if (!file || file->methods->version < 2 || !file->methods->map || count > region_size)
    return 0;
  int code = file->methods->map(file, 0, region_size, 0, &memory);
  // Without write access, the memory can only be read.
  if ((code != ok && code != read_only) || !memory)
    return 0;
  memcpy(bytes, (const void *)memory, count);
  // Later reads see later values.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return 1;
}
