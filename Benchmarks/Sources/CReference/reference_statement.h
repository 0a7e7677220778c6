#ifndef REFERENCE_STATEMENT_H
#define REFERENCE_STATEMENT_H

#include <sqlite3.h>

struct reference_statement {
  sqlite3_stmt *statement;
};

#endif
