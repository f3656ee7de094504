/* audit.c: stub */
#include "command.h"

int command_audit(int argc, char **argv, struct fail *f)
{
    (void)argc;
    (void)argv;
    return fail_set(f, STATUS_UNUSABLE, "not there yet");
}
