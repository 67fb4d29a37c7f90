/*
 * The collector of the benchmark: opens a session when the program starts and registers an empty callback. BENCH_MODE
 * says for what: "tracking" (nothing), "fork" (FORK only), "tasks" (events of tasks), "all" (every event), "count" (every
 * event, and counts them).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_collector_api.h"

static __thread unsigned long events_here __attribute__((tls_model("initial-exec")));
static int registered;

static void nothing(OMP_COLLECTORAPI_EVENT event)
{
    (void)event;
}

static void counted(OMP_COLLECTORAPI_EVENT event)
{
    (void)event;
    events_here++;
}

/* For the program that is measured: how many events this thread has seen. */
unsigned long bench_events(void);
unsigned long bench_events(void)
{
    return events_here;
}

/* For the program that is measured: how many events are registered. */
int bench_registered(void);
int bench_registered(void)
{
    return registered;
}

static void give_up(const char *what, int code)
{
    fprintf(stderr, "bench collector: %s answers %d\n", what, code);
    _exit(90);
}

__attribute__((constructor)) static void begin(void)
{
    int (*api)(void *);
    const char *mode = getenv("BENCH_MODE");
    if (!mode)
        return;
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    if (!api)
        give_up("no " OMP_COLLECTOR_API " in this process: dlsym", 0);
    int start[5] = {16, OMP_REQ_START, 0, 0, 0};
    if (api(start) != 0 || start[2] != OMP_ERRCODE_OK)
        give_up("START", start[2]);
    if (!strcmp(mode, "tracking"))
        return;
    OMP_COLLECTORAPI_CALLBACK call = strcmp(mode, "count") ? nothing : counted;
    int first = strcmp(mode, "tasks") ? OMP_EVENT_FORK : OMP_EVENT_THR_BEGIN_CREATE_TASK;
    int last = strcmp(mode, "fork") ? OMP_EVENT_THR_END_FINISH_TASK : OMP_EVENT_FORK;
    for (int event = first; event <= last; event++) {
        int entry[8] = {28, OMP_REQ_REGISTER, 0, 0, event, 0, 0, 0};
        memcpy(entry + 5, &call, sizeof call);
        if (api(entry) != 0)
            give_up("REGISTER", entry[2]);
        if (entry[2] == OMP_ERRCODE_OK)
            registered++;
        else if (entry[2] != OMP_ERRCODE_UNSUPPORTED)
            give_up("REGISTER", entry[2]);
    }
    if (!registered)
        give_up("REGISTER of every event", OMP_ERRCODE_UNSUPPORTED);
}
