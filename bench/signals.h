/*
** signals.h: lets SIGINT, SIGTERM and SIGHUP end a run in good order.
*/
#ifndef WALBENCH_SIGNALS_H
#define WALBENCH_SIGNALS_H

#include "fail.h"

void signals_catch(void);
void signals_default(void); /* for a child process */
int signals_caught(void);   /* the signal's number, or 0 */
/* A failure if a signal has come. Long loops call it. */
int signals_check(struct fail *f);
/* Ends the process by the signal that was caught, so that a shell sees it too. */
void signals_repeat(void);

#endif
