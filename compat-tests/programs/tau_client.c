/* Behaves like TAU up to 2.26 built by gcc: finds the collector API, starts, registers for all 35 events, and calls its weak
 * `Tau_get_gomp_proxy_address` at each region and task, without checking that it exists. The program's own code calls it as well: the
 * result must be the function that contains the call. TAU aborts if the result at the end of a span differs from that at its start.
 * Prints how many results were wrong, and how many events found a function. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "white_paper.h"

extern void *Tau_get_gomp_proxy_address(void) __attribute__((weak));

static int wrong, forks, tasks, idles;
static void *at_fork;

/* Outlined functions are short: their code is near their start. */
__attribute__((noinline)) static void *check(void) {
    void *function = Tau_get_gomp_proxy_address();
    uintptr_t here = (uintptr_t)__builtin_return_address(0), start = (uintptr_t)function;
    if (start > here || here - start >= 1024) __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    return function;
}

/* The event that starts the span that ends with `event`, for spans that TAU names at both ends; a worker's region lasts from the end of
 * its idle time to the start of the next one. */
static int begin_of(int event) {
    if (event == 2) return 1;
    if (event == 3) return 4;
    return event >= 6 && event <= 22 && event % 2 == 0 ? event - 1 : 0;
}

static void on_event(int event) {
    static __thread void *begun[23][8];
    static __thread int depth[23];
    void *function = Tau_get_gomp_proxy_address();
    int begin = begin_of(event), *open = &depth[begin];
    if (begin && *open) {
        if (begun[begin][--*open % 8] != function) __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        if (event == 3 && function) __atomic_add_fetch(&idles, 1, __ATOMIC_RELAXED);
    } else if (event == 1 || event == 4 || (event >= 5 && event <= 21 && event % 2)) {
        begun[event][depth[event]++ % 8] = function;
    }
    if (event == 1) {
        forks += function != NULL;
        at_fork = function;
    }
    if (event == 33 && function) __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
}

int main(void) {
    int start[] = {16, REQ_START, 0, 0, 0};
    collector_api api = find_collector_api();
    event_callback callback = on_event;
    void *outer = NULL, *task = NULL, *inner = NULL;
    int event;
    if (!api || api(start) || start[2]) return 1;
    for (event = 1; event <= 35; event++) {
        int wish[] = {28, REQ_REGISTER, 0, 0, event, 0, 0, 0};
        memcpy(&wish[5], &callback, sizeof callback);
        api(wish);
    }
    if (Tau_get_gomp_proxy_address()) wrong++;
#pragma omp parallel num_threads(2)
    {
        check();
#pragma omp single
        {
            outer = check();
            if (at_fork != outer) wrong++;
#pragma omp task
            {
                task = check();
#pragma omp parallel num_threads(1)
                {
                    inner = check();
                    __asm__ volatile("" ::: "memory");
                }
                if (check() != task) wrong++;
            }
#pragma omp taskwait
            if (check() != outer) wrong++;
        }
        check();
        /* Prevents a tail call. */
        __asm__ volatile("" ::: "memory");
    }
    if (Tau_get_gomp_proxy_address()) wrong++;
    /* The worker is idle by now. */
#pragma omp parallel num_threads(2)
    {
        check();
        __asm__ volatile("" ::: "memory");
    }
    if (!__atomic_load_n(&idles, __ATOMIC_RELAXED)) wrong++;
    if (outer == task || task == inner || inner == outer) wrong++;
    printf("%d wrong, %d forks, %d tasks\n", wrong, forks, tasks);
    return 0;
}
