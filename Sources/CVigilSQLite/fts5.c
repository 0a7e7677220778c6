// The entry points of FTS5, which are not exported: a function of SQL supplies them.

#include "CVigilSQLite.h"

vigil_fts5_api *vigil_sqlite_fts5(const vigil_sqlite_api *api, struct sqlite3 *db) {
  struct sqlite3_stmt *statement = 0;
  vigil_fts5_api *fts5 = 0;
  if (!api->bind_pointer)
    return 0;
  if (api->prepare_v2(db, "SELECT fts5(?1)", -1, &statement, 0) == 0) {
    api->bind_pointer(statement, 1, &fts5, "fts5_api_ptr", 0);
    api->step(statement);
  }
  api->finalize(statement);
  return fts5 && fts5->version >= 2 ? fts5 : 0;
}
