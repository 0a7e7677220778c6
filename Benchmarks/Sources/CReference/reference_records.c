#include "CReference.h"
#include "reference_statement.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t id;
  char *name;
  int name_length;
  double score;
  int64_t team;
  char *note;
  int note_length;
} record;

static char *copy_text(sqlite3_stmt *statement, int column, int *length) {
  const unsigned char *text = sqlite3_column_text(statement, column);
  if (!text)
    return 0;
  *length = sqlite3_column_bytes(statement, column);
  char *copy = malloc((size_t)*length + 1);
  if (copy)
    memcpy(copy, text, (size_t)*length + 1);
  return copy;
}

static void read_record(sqlite3_stmt *statement, record *r) {
  memset(r, 0, sizeof *r);
  r->id = sqlite3_column_int64(statement, 0);
  r->name = copy_text(statement, 1, &r->name_length);
  r->score = sqlite3_column_double(statement, 2);
  r->team = sqlite3_column_int64(statement, 3);
  r->note = copy_text(statement, 4, &r->note_length);
}

/// Returns the sum of the values of a record, and frees its texts.
static int64_t sum_and_free(record *r) {
  int64_t sum = r->id + (int64_t)r->score + r->team;
  if (r->name)
    sum += r->name_length + (unsigned char)r->name[0];
  if (r->note)
    sum += r->note_length + (unsigned char)r->note[0];
  free(r->name);
  free(r->note);
  return sum;
}

int64_t reference_read_records(const char *path, const char *sql, int64_t *checksum) {
  sqlite3 *db = 0;
  sqlite3_stmt *statement = 0;
  record *records = 0;
  int64_t count = -1, capacity = 0;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  *checksum = 0;
  if (sqlite3_open_v2(path, &db, flags, 0) == SQLITE_OK &&
      sqlite3_prepare_v2(db, sql, -1, &statement, 0) == SQLITE_OK) {
    count = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      if (count == capacity) {
        capacity = capacity ? capacity * 2 : 16;
        record *more = realloc(records, (size_t)capacity * sizeof *records);
        if (!more)
          break;
        records = more;
      }
      read_record(statement, records + count++);
    }
    for (int64_t i = 0; i < count; i++)
      *checksum += sum_and_free(records + i);
    free(records);
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return count;
}

int64_t reference_fetch_record(reference_statement *statement, int64_t key) {
  int64_t sum = -1;
  record r;
  sqlite3_bind_int64(statement->statement, 1, key);
  if (sqlite3_step(statement->statement) == SQLITE_ROW) {
    read_record(statement->statement, &r);
    sum = sum_and_free(&r);
  }
  sqlite3_reset(statement->statement);
  return sum;
}
