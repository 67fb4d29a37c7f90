#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include "omp_collector_api.h"

static int regions;
static void on_fork(int event) { (void)event; __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED); }

__attribute__((constructor)) static void begin(void) {
    int (*api)(void *);
    struct { int sz, r, ec, rsz, end; } start = {16, OMP_REQ_START, 0, 0, 0};
    struct { int sz, r, ec, rsz, event; void (*callback)(int); int end; } fork_event =
        {32, OMP_REQ_REGISTER, 0, 0, OMP_EVENT_FORK, on_fork, 0};
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    if (api) { api(&start); api(&fork_event); }
}
__attribute__((destructor)) static void end(void) { fprintf(stderr, "%d parallel regions\n", regions); }
