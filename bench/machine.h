/*
** machine.h: what a run was made on, for the result files.
*/
#ifndef WALBENCH_MACHINE_H
#define WALBENCH_MACHINE_H

#include "kv.h"

/* Processor, number of processors, memory in bytes, and the file system of `directory`.
** What the system does not tell is left out. */
void machine_describe(struct kv_list *list, const char *directory);

#endif
