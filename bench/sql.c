/* sql.c: stub */
#include "command.h"

int command_sql(int argc, char **argv, struct fail *f)
{
    (void)argc;
    (void)argv;
    return fail_set(f, STATUS_UNUSABLE, "not there yet");
}

int job_sql(struct arm *arm, struct fail *f)
{
    (void)arm;
    return fail_set(f, STATUS_UNUSABLE, "not there yet");
}
