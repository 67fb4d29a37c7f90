/* A program with a collector in it, as one who has installed ora would build it: `pkg-config --cflags --libs ora`.
   With an argument it leaves collecting to others. */
#include <stdio.h>
#include "omp_collector_api.h"

static int regions;

static void on_fork(int event) {
    (void)event;
    __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED);
}

int main(int count, char **words) {
    struct { int sz, r, ec, rsz, end; } start = {16, OMP_REQ_START, 0, 0, 0};
    struct { int sz, r, ec, rsz, event; void (*callback)(int); int end; } fork_event = {
        32, OMP_REQ_REGISTER, 0, 0, OMP_EVENT_FORK, on_fork, 0};
    int sum = 0;
    (void)words;
    if (count == 1 && (__omp_collector_api(&start) || __omp_collector_api(&fork_event) || start.ec || fork_event.ec)) return 1;
    for (int i = 0; i < 7; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum++;
    }
    printf("%d regions, %d threads in them\n", regions, sum);
    return 0;
}
