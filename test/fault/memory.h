/*
** memory.h: an allocator on top of a library's own one that can fail.
*/
#ifndef FAULT_MEMORY_H
#define FAULT_MEMORY_H

#include "api.h"
#include "inject.h"

/*
** To be called before the library is initialized. Switches lookaside and the page
** cache's first block off too, so that each of their allocations is one of ours.
*/
int memory_install(const struct api *api, struct fault *fault, struct fail *f);
/* Allocations that have not been freed. */
int64_t memory_held(void);

#endif
