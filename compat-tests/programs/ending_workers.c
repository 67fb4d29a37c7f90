/* Workers end in every way that there is: `ending_workers PART`, where PART is
 *
 * teams    teams shrink and grow
 * nested   inner teams, whose threads end with them
 * pause    the runtime gives its resources back
 * exit     a worker calls pthread_exit in a region
 * cancel   a worker is cancelled in a region
 *
 * After the last two the program leaves from within the region, which can't end any more. With LIBRARY it is a library whose
 * function `run` takes the arguments. */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int sum;

static void region(int threads) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
}

static void teams(void) {
    static const int sizes[] = {4, 2, 4, 3, 1, 4, 2};
    unsigned i;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) region(sizes[i]);
}

static void nested(void) {
    int i;
    omp_set_max_active_levels(2);
    for (i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
        {
            int inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
            inner += omp_get_thread_num() + 1;
#pragma omp atomic
            sum += inner;
        }
    }
}

static void paused(void) {
    region(4);
    if (omp_pause_resource_all(omp_pause_soft) != 0) abort();
    region(2);
}

static void leave(int cancelled) {
    pthread_t worker;
    int here = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        worker = pthread_self();
        __atomic_store_n(&here, 1, __ATOMIC_RELEASE);
        if (!cancelled) pthread_exit(NULL);
        for (;;) pause();
    } else {
        while (!__atomic_load_n(&here, __ATOMIC_ACQUIRE)) sched_yield();
        if (cancelled) pthread_cancel(worker);
        if (pthread_join(worker, NULL) != 0) abort();
        printf("joined\n");
        exit(0);
    }
}

#ifdef LIBRARY
int run(int argc, char **argv);
int run
#else
int main
#endif
    (int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    if (strcmp(part, "teams") == 0) teams();
    else if (strcmp(part, "nested") == 0) nested();
    else if (strcmp(part, "pause") == 0) paused();
    else if (strcmp(part, "exit") == 0) leave(0);
    else if (strcmp(part, "cancel") == 0) leave(1);
    else return 2;
    printf("sum %d\n", sum);
    return 0;
}
