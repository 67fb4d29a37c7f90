/* Does as TAU up to 2.26 does, built by gcc: finds the collector API, starts, registers for all 35 events, and calls its weak
 * `Tau_get_gomp_proxy_address` at each region and task, without a look whether there is one. The program's own code asks it, too: what it
 * is told must be the function that it is in. TAU aborts where the answer at the end of a span isn't that of its begin. Prints how many answers
 * were wrong, and how many events found a function. */
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

/* The begin of what ends with `event`, for those spans that TAU names at both ends; a worker's region is from the end of its idle time to
 * the begin of the next. */
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
        /* No jump to it. */
        __asm__ volatile("" ::: "memory");
    }
    if (Tau_get_gomp_proxy_address()) wrong++;
    /* The worker has gone idle by now. */
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
