/* A program that is watched only from its middle on, by a library that it loads itself: `late_library LIBRARY`. Prints the
 * same without one. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "white_paper.h"

enum { ROUNDS = 20 };

static long events[64];
static void on_event(int event) { __atomic_add_fetch(&events[event & 63], 1, __ATOMIC_RELAXED); }

static void work(const char *when) {
    long members = 0, tasks = 0, loop = 0;
    int i, round;
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (round = 0; round < ROUNDS; round++) {
#pragma omp parallel reduction(+ : members)
        {
#pragma omp for schedule(dynamic) reduction(+ : loop)
            for (i = 0; i < 10; i++) loop += i;
#pragma omp single
            for (i = 0; i < 10; i++) {
#pragma omp task
#pragma omp atomic
                tasks += 1;
            }
            omp_set_lock(&lock);
            members += 1;
            omp_unset_lock(&lock);
#pragma omp critical
            members += 1;
        }
    }
    omp_destroy_lock(&lock);
    printf("%s: %ld %ld %ld\n", when, members, tasks, loop);
}

int main(int argc, char **argv) {
    const char *library = argc > 1 ? argv[1] : "";
    int start[] = {16, REQ_START, 0, 0, 0}, stop[] = {16, REQ_STOP, 0, 0, 0}, event;
    event_callback callback = on_event;
    collector_api api = NULL;
    work("before");
    if (*library) {
        void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL), *symbol;
        if (!handle) {
            fprintf(stderr, "%s\n", dlerror());
            return 2;
        }
        symbol = dlsym(handle, "__omp_collector_api");
        memcpy(&api, &symbol, sizeof api);
        if (!api || api(start) != 0) return 3;
        for (event = 1; event <= 35; event++) {
            int wish[] = {28, REQ_REGISTER, 0, 0, event, 0, 0, 0};
            memcpy(&wish[5], &callback, sizeof callback);
            if (api(wish) != 0) return 4;
        }
    }
    work("watched");
    if (api) {
        fprintf(stderr, "START %d, FORK %ld\n", start[2], events[EVENT_FORK]);
        api(stop);
    }
    work("after");
    return 0;
}
