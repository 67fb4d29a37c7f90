/* Detached tasks, fulfilled by themselves, by their creator before or after the body, by another task; with dependences,
 * groups, if(0), final and large arguments. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static long bodies, after;

static void kinds(void) {
    omp_event_handle_t early, own, other, depended, large_event, undeferred;
    struct {
        char bytes[2000];
    } large;
    int x = 0;
    memset(&large, 3, sizeof large);
    /* Fulfilled by the creator, before or after the body. */
#pragma omp task detach(early)
#pragma omp atomic
    bodies += 1;
    omp_fulfill_event(early);
    /* Fulfilled by the task itself. */
#pragma omp task detach(own)
    {
#pragma omp atomic
        bodies += 1;
        omp_fulfill_event(own);
    }
    /* Fulfilled by another task, and a group that waits for it. */
#pragma omp taskgroup
    {
#pragma omp task detach(other) untied
#pragma omp atomic
        bodies += 1;
#pragma omp task firstprivate(other)
        omp_fulfill_event(other);
    }
    /* A task that depends on it runs after it. */
#pragma omp task detach(depended) depend(out : x) shared(x)
    {
#pragma omp atomic
        bodies += 1;
        x = 1;
    }
#pragma omp task depend(in : x) shared(x)
    {
#pragma omp atomic
        after += x;
    }
#pragma omp task firstprivate(depended)
    omp_fulfill_event(depended);
#pragma omp task detach(large_event) firstprivate(large) priority(2)
    {
        long sum = 0;
        unsigned k;
        for (k = 0; k < sizeof large.bytes; k++) sum += large.bytes[k];
        omp_fulfill_event(large_event);
#pragma omp atomic
        bodies += sum == 6000;
    }
#pragma omp task detach(undeferred) if (0)
    {
#pragma omp atomic
        bodies += 1;
        omp_fulfill_event(undeferred);
    }
#pragma omp taskwait
}

int main(void) {
    int i;
#pragma omp parallel
#pragma omp single
    for (i = 0; i < 30; i++) kinds();
    printf("%ld %ld\n", bodies, after);
    /* All threads simultaneously. */
#pragma omp parallel
    {
        omp_event_handle_t event;
#pragma omp task detach(event)
#pragma omp atomic
        bodies += 1;
        omp_fulfill_event(event);
#pragma omp barrier
#pragma omp atomic
        after += 1;
    }
    printf("%ld %ld\n", bodies - omp_get_max_threads(), after - omp_get_max_threads());
    return 0;
}
