/*
** api_linked.c: the SQLite library that is linked into this program, for the
** observer and for building databases. It is the same one whatever the arms are.
*/
#include "api.h"

void api_linked(struct api *api)
{
    api->handle = NULL;
#define API_TAKE(name) api->name = sqlite3_##name;
    API_FUNCTIONS(API_TAKE)
#undef API_TAKE
    api->error_offset = sqlite3_error_offset;
}
