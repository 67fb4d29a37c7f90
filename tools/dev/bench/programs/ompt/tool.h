/* Common part of the tools of `bench ompt`: the empty callback, the counting one, and the selection of events. */
#ifndef BENCH_TOOL_H
#define BENCH_TOOL_H

#include <stdlib.h>
#include <string.h>

typedef void bench_function(void);

static bench_function *(*bench_find)(const char *);
static unsigned long bench_counted;

static void bench_nothing(void)
{
}

static void bench_count(void)
{
    __atomic_fetch_add(&bench_counted, 1, __ATOMIC_RELAXED);
}

/* The callback to register: with BENCH_COUNT the counting one. */
static bench_function *bench_callback(void)
{
    return getenv("BENCH_COUNT") ? bench_count : bench_nothing;
}

/* For the program that is measured: the number of events so far. */
unsigned long bench_events(void);
unsigned long bench_events(void)
{
    return __atomic_load_n(&bench_counted, __ATOMIC_RELAXED);
}

/* For the program that is measured: an entry point. */
bench_function *bench_entry_point(const char *name);
bench_function *bench_entry_point(const char *name)
{
    return bench_find ? bench_find(name) : NULL;
}

/* True if `name` is in the comma-separated `list`. */
static int bench_names(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
            return 1;
    return 0;
}

#endif
