/* Threads of the program itself have their own control variables, teams and numbers. */
#include "../queries.h"

#include <pthread.h>

static pthread_barrier_t together;

static void *work(void *data) {
    const int me = (int)(long)data;
    omp_set_num_threads(me + 1);
    omp_set_dynamic(0);
    omp_set_schedule(omp_sched_dynamic, me + 3);
    omp_set_max_active_levels(me % 2 + 1);
    pthread_barrier_wait(&together);
    note(me * 16, "outside");
#pragma omp parallel
    {
        note(me * 16 + 1 + omp_get_thread_num(), "inside");
#pragma omp barrier
#pragma omp critical
        {
        }
        if (omp_get_thread_num() == 0) pthread_barrier_wait(&together);
#pragma omp parallel num_threads(2)
#pragma omp masked
        note(me * 16 + 6 + omp_get_ancestor_thread_num(1), "nested");
    }
    note(me * 16 + 12, "outside again");
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    long i;
    pthread_barrier_init(&together, NULL, 4);
    for (i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(i + 1)) != 0) return 1;
    work((void *)0);
    for (i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    print_notes();
    return 0;
}
