/*
** machine.c: what a run was made on.
*/
#include "machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

static void describe_processor(struct kv_list *list)
{
    char line[300];
    FILE *in = fopen("/proc/cpuinfo", "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        char *value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) != 0 || value == NULL)
            continue;
        value[strcspn(value, "\n")] = 0;
        kv_text(list, "processor", value + 2);
        break;
    }
    if (in != NULL)
        (void)fclose(in);
}

/* Numbers of statfs(2); those of file systems that people keep databases on. */
static const struct {
    long type;
    const char *name;
} file_systems[] = {
    {0xef53, "ext4"},     {0x58465342, "xfs"},      {0x9123683e, "btrfs"},
    {0x2fc12fc1, "zfs"},  {0x794c7630, "overlay"},  {0x01021994, "tmpfs"},
    {0xf2f52010, "f2fs"}, {0x6969, "nfs"},          {0x65735546, "fuse"},
    {0x01021997, "9p"},   {0xca451a4e, "bcachefs"},
};

void machine_describe(struct kv_list *list, const char *directory)
{
    struct statfs fs;
    long processors = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
         page = sysconf(_SC_PAGESIZE);
    describe_processor(list);
    if (processors > 0)
        kv_int(list, "processors", processors);
    if (pages > 0 && page > 0)
        kv_int(list, "memory_bytes", (int64_t)pages * page);
    if (statfs(directory, &fs) != 0)
        return;
    char number[30];
    const char *name = number;
    (void)snprintf(number, sizeof number, "0x%lx", (unsigned long)fs.f_type);
    for (size_t i = 0; i < sizeof file_systems / sizeof file_systems[0]; i++)
        if (file_systems[i].type == (long)fs.f_type)
            name = file_systems[i].name;
    kv_text(list, "file_system", name);
}
