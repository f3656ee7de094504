/*
** plot.h: pictures, which gnuplot draws.
*/
#ifndef WALBENCH_PLOT_H
#define WALBENCH_PLOT_H

#include <stdio.h>

#include "fail.h"

enum { PLOT_COLOURS = 8 };
extern const char *const plot_colour[PLOT_COLOURS]; /* legible on white and on black */

struct plot {
    FILE *script; /* what gnuplot is to do; write to it */
    char *text;
    size_t size;
};

/* Is gnuplot there? If not, a failure that says so. */
int plot_check(struct fail *f);

/* height in points of a picture that is 760 wide. */
int plot_begin(struct plot *p, int height, struct fail *f);
/* Draws it into DIRECTORY/NAME.svg. */
int plot_end(struct plot *p, const char *directory, const char *name, struct fail *f);

#endif
