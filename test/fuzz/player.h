/*
** player.h: plays a script with one library, in the current folder.
*/
#ifndef FUZZ_PLAYER_H
#define FUZZ_PLAYER_H

#include "entry.h"
#include "script.h"
#include "trace.h"

/*
** Plays from step `from` up to the end or up to and including the next step after
** which the other library takes over; trace->next says which. left_out may be
** NULL. For a process of its own: a STEP_CRASH ends it at once.
*/
void player_run(const struct entry *entry, const struct script *script, const bool *left_out,
                size_t from, struct trace *trace);

#endif
