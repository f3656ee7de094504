/*
** kv.h: an ordered list of named values. It carries a job's arguments to an arm
** process, and parameters and pragmas into the result files.
*/
#ifndef WALBENCH_KV_H
#define WALBENCH_KV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kv {
    char *key;
    char *value;
    bool number; /* written without quotes in JSON */
};

struct kv_list {
    struct kv *at;
    size_t count;
};

void kv_text(struct kv_list *list, const char *key, const char *value);
void kv_int(struct kv_list *list, const char *key, int64_t value);
const char *kv_find(const struct kv_list *list, const char *key); /* NULL: not there */
void kv_append(struct kv_list *to, const struct kv_list *from);
void kv_free(struct kv_list *list);

#endif
