/* A collector that guards its own table with an OpenMP lock, and queries the maximum number of OpenMP threads. Its use of the lock must
 * raise no events, because it happens inside a callback. */
#include "trace.h"
#include "white_paper.h"

#include <stdio.h>
#include <stdlib.h>

/* As large as any runtime's lock. */
static void *lock[8];
static int (*max_threads)(void);
static void (*set_lock)(void *), (*unset_lock)(void *), (*init_lock)(void *);
static int ready;
static __thread int depth;
static long seen[64];

static void on_event(int event) {
    struct trace_record record;
    if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) return;
    if (depth++) {
        fprintf(stderr, "event %d inside of a callback\n", event);
        abort();
    }
    set_lock(lock);
    seen[event & 63] += max_threads ? max_threads() > 0 : 1;
    unset_lock(lock);
    depth--;
    memset(&record, 0, sizeof record);
    record.event = event;
    trace_add(&record);
}

static void find(const char *name, void *function) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &symbol, sizeof symbol);
}

__attribute__((constructor)) static void attach(void) {
    int start[] = {16, REQ_START, 0, 0, 0};
    collector_api api = find_collector_api();
    event_callback callback = on_event;
    int event;
    trace_open("locking");
    if (!api) return;
    api(start);
    trace_answer(0, start[2]);
    for (event = 1; event <= 35; event++) {
        int wish[] = {28, REQ_REGISTER, 0, 0, event, 0, 0, 0};
        memcpy(&wish[5], &callback, sizeof callback);
        api(wish);
    }
    find("omp_get_max_threads", &max_threads);
    find("omp_init_lock", &init_lock);
    find("omp_set_lock", &set_lock);
    find("omp_unset_lock", &unset_lock);
    if (set_lock && unset_lock) {
        if (init_lock) init_lock(lock);
        __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    }
}
