// SQLite, and the few of its functions that take variable arguments, which Swift cannot call.
#ifndef STET_CSQLITE_H
#define STET_CSQLITE_H

#include <sqlite3.h>

static inline int stet_sqlite3_db_config_flag(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

#endif
