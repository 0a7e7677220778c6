#include "CReference.h"
#include <sqlite3.h>
#include <stdlib.h>

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

struct reference_players {
  sqlite3 *db;
  sqlite3_stmt *begin, *commit, *update, *select;
  int64_t next;
};

static const char *schema =
    "CREATE TABLE player(id INTEGER PRIMARY KEY, score INTEGER);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
    "INSERT INTO player SELECT i, i FROM n;";

reference_players *reference_players_open(void) {
  reference_players *players = calloc(1, sizeof *players);
  if (!players)
    return 0;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(":memory:", &players->db, flags, 0) != SQLITE_OK ||
      sqlite3_exec(players->db, schema, 0, 0, 0) != SQLITE_OK ||
      sqlite3_prepare_v2(players->db, "BEGIN IMMEDIATE", -1, &players->begin, 0) != SQLITE_OK ||
      sqlite3_prepare_v2(players->db, "COMMIT", -1, &players->commit, 0) != SQLITE_OK ||
      sqlite3_prepare_v2(players->db, "UPDATE player SET score = ? WHERE id = ?", -1, &players->update, 0) !=
          SQLITE_OK ||
      sqlite3_prepare_v2(players->db, "SELECT score FROM player WHERE id = ?", -1, &players->select, 0) !=
          SQLITE_OK) {
    reference_players_close(players);
    return 0;
  }
  return players;
}

static int run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int reference_players_write(reference_players *players, int count) {
  for (int i = 0; i < count; i++) {
    int64_t number = players->next++;
    int code = run(players->begin);
    sqlite3_bind_int64(players->update, 1, number);
    sqlite3_bind_int64(players->update, 2, number % 10000 + 1);
    if (!code)
      code = run(players->update);
    if (!code)
      code = run(players->commit);
    if (code)
      return code;
  }
  return SQLITE_OK;
}

int64_t reference_players_read(reference_players *players, int count) {
  int64_t sum = 0;
  for (int i = 0; i < count; i++) {
    sqlite3_bind_int64(players->select, 1, i % 10000 + 1);
    if (sqlite3_step(players->select) == SQLITE_ROW)
      sum += sqlite3_column_int64(players->select, 0);
    sqlite3_reset(players->select);
  }
  return sum;
}

void reference_players_close(reference_players *players) {
  sqlite3_finalize(players->begin);
  sqlite3_finalize(players->commit);
  sqlite3_finalize(players->update);
  sqlite3_finalize(players->select);
  sqlite3_close(players->db);
  free(players);
}
