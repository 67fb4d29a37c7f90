/* Tasks that nobody waits for: barriers of every kind must run them. */
#include <omp.h>
#include <stdio.h>

static long early, count;

static void leave(int tasks) {
    int i;
    for (i = 0; i < tasks; i++) {
#pragma omp task
        {
#pragma omp task
#pragma omp atomic
            count += 1;
        }
    }
}

/* After a barrier all of them have run. */
static void all_have_run(long expected) {
    long now;
#pragma omp atomic read
    now = count;
#pragma omp atomic
    early += now < expected;
}

int main(void) {
    int round, i;
    for (round = 0; round < 10; round++) {
        count = 0;
#pragma omp parallel private(i)
        {
            const long all = omp_get_num_threads() * 10L;
            leave(10);
#pragma omp barrier
            all_have_run(all);
            leave(10);
#pragma omp single
            i = 0;
            all_have_run(2 * all);
            leave(10);
#pragma omp for
            for (i = 0; i < 10; i++) continue;
            all_have_run(3 * all);
            leave(10);
#pragma omp for schedule(dynamic)
            for (i = 0; i < 10; i++) continue;
            all_have_run(4 * all);
            leave(10);
#pragma omp sections
            {
#pragma omp section
                i = 0;
            }
            all_have_run(5 * all);
            leave(10);
        }
        all_have_run(60L * omp_get_max_threads());
    }
    printf("%ld early, %ld\n", early, count / omp_get_max_threads());
    return 0;
}
