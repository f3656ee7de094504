/*
** vfs.h: a VFS on top of a library's own one whose methods can fail.
**
** It neither syncs nor sleeps, since nothing here is about power failures and nobody
** else is at work, and it offers no
** memory-mapped I/O, which would get past it.
*/
#ifndef FAULT_VFS_H
#define FAULT_VFS_H

#include "api.h"
#include "inject.h"

struct faulty_vfs {
    sqlite3_vfs vfs;
    sqlite3_vfs *below;
    struct fault *fault;
};

/* Registers it as the library's default VFS. It must stay where it is in memory. */
int vfs_install(struct faulty_vfs *v, const struct api *api, struct fault *fault,
                struct fail *f);

#endif
