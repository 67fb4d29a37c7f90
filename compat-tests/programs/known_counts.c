/* Constructs in numbers that follow from the source, whichever compiler and runtime: teams of four, five times each kind.
 *
 *     regions                20      tasks                 200, of which 40 undeferred
 *     implicit tasks         80      taskwaits, taskgroups  20 each
 *     dynamic loops          20 (80 by thread)   critical sections and locks 80 each
 *     single                 25 (100 by thread)  explicit barriers 80 by thread
 *     chunks                180
 *
 * Output: the sum that the program computes. Loops are monotonic as LLVM's runtime 19 steals chunks of others, and an
 * assertion of its own about that ends a few of 10,000 runs. */
#include <omp.h>
#include <stdio.h>

enum { TEAM = 4, ROUNDS = 5 };

static volatile int sink;
static omp_lock_t lock;
static long sum, locked;

static __attribute__((noinline)) void work(int units) {
    for (int i = 0; i < units * 1000; i++) sink = i;
}

static void loops(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for schedule(monotonic : dynamic, 4)
        for (int i = 0; i < 64; i++) work(1);
#pragma omp for schedule(monotonic : dynamic, 16) nowait
        for (int i = 0; i < 64; i++) work(1);
#pragma omp for schedule(monotonic : dynamic) nowait
        for (int i = 0; i < 8; i++) work(1);
#pragma omp for schedule(monotonic : dynamic) nowait
        for (int i = 0; i < 8; i++) work(1);
    }
}

static void mutexes(void) {
#pragma omp parallel num_threads(TEAM)
    for (int i = 0; i < 4; i++) {
#pragma omp critical
        sum++;
        omp_set_lock(&lock);
        locked++;
        omp_unset_lock(&lock);
#pragma omp barrier
        work(1);
    }
}

static void singles(void) {
#pragma omp parallel num_threads(TEAM)
    for (int i = 0; i < 4; i++) {
#pragma omp single
        {
            sum++;
            work(2);
        }
    }
}

static void tasks(void) {
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp single nowait
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 8; j++) {
#pragma omp task
                work(1);
            }
#pragma omp taskwait
#pragma omp taskgroup
            {
#pragma omp task if (0)
                work(1);
#pragma omp task if (0)
                work(1);
            }
        }
    }
}

int main(void) {
    omp_set_dynamic(0);
    omp_init_lock(&lock);
    for (int i = 0; i < ROUNDS; i++) {
        loops();
        mutexes();
        singles();
        tasks();
    }
    omp_destroy_lock(&lock);
    printf("%ld\n", sum + locked);
    return 0;
}
