/*
** audit_print.h: an audit for people, and for the result files.
*/
#ifndef WALBENCH_AUDIT_PRINT_H
#define WALBENCH_AUDIT_PRINT_H

#include "audit.h"
#include "report.h"

/* `all`: every commit; else the ten with the most frames in vain. */
void audit_print(const struct audit *a, bool all);
void audit_report(const struct audit *a, struct report *report);

#endif
