// Fills the table of entry points from the libpq that this build links.

#include "CVigilPostgres.h"

#if defined(VIGIL_TRAIT_POSTGRESQL)

// Only so that the compiler compares our declarations with those of the library.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#endif

#define VIGIL_EXTERN(result, name, parameters) extern result PQ##name parameters;
VIGIL_POSTGRES_FUNCTIONS(VIGIL_EXTERN)

static const vigil_postgres_api linked_api = {
#define VIGIL_REFER(result, name, parameters) .name = PQ##name,
    VIGIL_POSTGRES_FUNCTIONS(VIGIL_REFER)};

const vigil_postgres_api *vigil_postgres_linked_api(void) { return &linked_api; }

#else

const vigil_postgres_api *vigil_postgres_linked_api(void) { return 0; }

#endif
