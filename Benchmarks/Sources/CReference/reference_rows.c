#include "CReference.h"
#include <sqlite3.h>

int64_t reference_read_rows(const char *path, const char *sql, int64_t *checksum) {
  sqlite3 *db = 0;
  sqlite3_stmt *statement = 0;
  int64_t rows = -1, sum = 0;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &db, flags, 0) != SQLITE_OK)
    goto done;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) != SQLITE_OK)
    goto done;
  rows = 0;
  int columns = sqlite3_column_count(statement);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    rows++;
    for (int i = 0; i < columns; i++) {
      switch (sqlite3_column_type(statement, i)) {
      case SQLITE_INTEGER:
        sum += sqlite3_column_int64(statement, i);
        break;
      case SQLITE_FLOAT:
        sum += (int64_t)sqlite3_column_double(statement, i);
        break;
      case SQLITE_TEXT: {
        const unsigned char *text = sqlite3_column_text(statement, i);
        sum += sqlite3_column_bytes(statement, i) + text[0];
        break;
      }
      case SQLITE_BLOB: {
        const unsigned char *blob = sqlite3_column_blob(statement, i);
        sum += sqlite3_column_bytes(statement, i) + blob[0];
        break;
      }
      }
    }
  }
done:
  sqlite3_finalize(statement);
  sqlite3_close(db);
  *checksum = sum;
  return rows;
}
