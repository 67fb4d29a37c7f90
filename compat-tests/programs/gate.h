/* Lets one thread detect that another one is blocked, with and without the library. */
#ifndef GATE_H
#define GATE_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int gate_thread_id(void) { return (int)syscall(SYS_gettid); }

/* True if the thread sleeps in the kernel at this moment. */
static inline int gate_sleeps(int tid) {
    char path[64], text[512], *state;
    size_t length;
    FILE *file;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    file = fopen(path, "r");
    if (!file) return 0;
    length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    state = strrchr(text, ')');
    return state && state[1] == ' ' && state[2] == 'S';
}

/* Returns once the thread has been asleep for some time. Threads here wait for one another by yielding, so a sleeping thread is blocked
 * in the runtime (which must not spin: GOMP_SPINCOUNT=0 or a passive wait policy). */
static inline void gate_until_blocked(const int *tid_of_other) {
    int seen = 0, patience = 0;
    while (seen < 5) {
        const int tid = __atomic_load_n(tid_of_other, __ATOMIC_ACQUIRE);
        seen = tid && gate_sleeps(tid) ? seen + 1 : 0;
        usleep(500);
        if (++patience > 20000) {
            fprintf(stderr, "the other thread never blocked\n");
            abort();
        }
    }
}

static inline void gate_set(int *flag, int value) { __atomic_store_n(flag, value, __ATOMIC_RELEASE); }
static inline int gate_get(const int *flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }

/* Waits without blocking. */
static inline void gate_until(const int *flag, int value) {
    while (gate_get(flag) != value) sched_yield();
}

#endif
