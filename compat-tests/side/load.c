/* Load for the three tools: nested regions, tasks of every kind, work-sharing and locks, in two teams in parallel: `load ROUNDS`. Except
 * for waits, the number of times that each thing happens doesn't depend on chance. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEAM = 4, INNER = 2, TASKS = 6, CHUNKS = 4 };

static omp_lock_t lock;
static omp_nest_lock_t nest;
static long guarded, locked, nested, turns;

static long inner(int depth) {
    long sum = 0;
#pragma omp parallel num_threads(INNER) reduction(+ : sum)
    {
        sum += 1;
#pragma omp barrier
        if (depth > 0 && omp_get_thread_num() == 0) sum += inner(depth - 1);
#pragma omp task shared(sum) if (0)
        sum += 1;
    }
    return sum;
}

static long tasks(void) {
    long sum = 0;
    int i, chain = 0;
    for (i = 0; i < TASKS; i++) {
#pragma omp task shared(sum) firstprivate(i)
        {
#pragma omp task shared(sum)
#pragma omp atomic
            sum += i;
#pragma omp taskwait
        }
    }
#pragma omp taskgroup
    for (i = 0; i < TASKS; i++) {
#pragma omp task shared(chain) depend(inout : chain)
        chain = chain * 2 + 1;
    }
#pragma omp taskloop shared(sum) num_tasks(CHUNKS)
    for (i = 0; i < 3 * CHUNKS; i++) {
#pragma omp atomic
        sum += 1;
    }
#pragma omp taskwait
    return sum + chain;
}

static long rounds(int count, int team) {
    long sum = 0;
    int round;
    for (round = 0; round < count; round++) {
        long shared = 0;
#pragma omp parallel num_threads(team) reduction(+ : sum)
        {
            int i;
#pragma omp for schedule(dynamic, 2) nowait
            for (i = 0; i < 10; i++) sum += i;
#pragma omp single
            shared = tasks();
#pragma omp critical(load)
            guarded += 1;
            omp_set_lock(&lock);
            locked += 1;
            omp_unset_lock(&lock);
            omp_set_nest_lock(&nest);
            omp_set_nest_lock(&nest);
            nested += 1;
            omp_unset_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
#pragma omp barrier
            if (omp_get_thread_num() % 2) sum += inner(1);
#pragma omp sections
            {
#pragma omp section
                sum += 1;
#pragma omp section
                sum += 2;
            }
        }
        sum += shared;
    }
    return sum;
}

static int count;

static void *second(void *sum) {
    *(long *)sum = rounds(count, INNER);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    long own, others = 0;
    count = argc > 1 ? atoi(argv[1]) : 10;
    omp_set_max_active_levels(4);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    pthread_create(&thread, NULL, second, &others);
    own = rounds(count, TEAM);
    pthread_join(thread, NULL);
#pragma omp parallel for ordered num_threads(TEAM)
    for (int i = 0; i < 8; i++) {
#pragma omp ordered
        turns = turns * 3 + i;
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    printf("%ld %ld %ld %ld %ld %ld\n", own, others, guarded, locked, nested, turns);
    return 0;
}
