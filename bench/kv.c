/*
** kv.c: an ordered list of named values.
*/
#include "kv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

static void put(struct kv_list *list, const char *key, char *value, bool number)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->at[i].key, key) == 0) {
            free(list->at[i].value);
            list->at[i].value = value;
            list->at[i].number = number;
            return;
        }
    }
    list->at = mem_grow(list->at, list->count + 1, sizeof list->at[0]);
    list->at[list->count++] = (struct kv){mem_copy(key), value, number};
}

void kv_text(struct kv_list *list, const char *key, const char *value)
{
    put(list, key, mem_copy(value), false);
}

void kv_int(struct kv_list *list, const char *key, int64_t value)
{
    put(list, key, mem_format("%" PRId64, value), true);
}

const char *kv_find(const struct kv_list *list, const char *key)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->at[i].key, key) == 0)
            return list->at[i].value;
    return NULL;
}

void kv_append(struct kv_list *to, const struct kv_list *from)
{
    for (size_t i = 0; i < from->count; i++)
        put(to, from->at[i].key, mem_copy(from->at[i].value), from->at[i].number);
}

void kv_free(struct kv_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->at[i].key);
        free(list->at[i].value);
    }
    free(list->at);
    *list = (struct kv_list){NULL, 0};
}
