/* Tasks of every kind. */
#include <omp.h>
#include <stdio.h>

enum { N = 60 };

static long fibonacci(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a) if (n > 8)
    a = fibonacci(n - 1);
#pragma omp task shared(b) final(n < 10) mergeable
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

struct large {
    char bytes[3000];
};

int main(void) {
    long fib = 0, done = 0, ordered = 0, loop = 0, reduced = 0, detached = 0, copied = 0;
    int i;
    struct large large;
    for (i = 0; i < (int)sizeof large.bytes; i++) large.bytes[i] = (char)(i % 100);
#pragma omp parallel /* expect: FORK 1, IBAR T, IDLE T-1 */
    {
#pragma omp single /* expect: SINGLE 1, EBAR T */
        fib = fibonacci(18); /* expect: TASK 8360, SUSPEND 4180 */
#pragma omp single /* expect: SINGLE 1, EBAR T */
        {
            for (i = 0; i < N; i++) {
#pragma omp task priority(i % 3) /* expect: TASK 60 */
                {
#pragma omp critical(count) /* expect: CTWT 0..60*(T>1) */
                    done += 1;
#pragma omp taskyield
                }
            }
            for (i = 0; i < N; i++) {
#pragma omp task depend(inout : ordered) firstprivate(i) /* expect: TASK 60 */
                ordered = (ordered * 3 + i) % 1000;
            }
            for (i = 0; i < 5; i++) {
#pragma omp task firstprivate(large) /* expect: TASK 5 */
                {
                    long sum = 0;
                    int k;
                    for (k = 0; k < (int)sizeof large.bytes; k++) sum += large.bytes[k];
#pragma omp atomic
                    copied += sum;
                }
            }
#pragma omp taskwait depend(in : ordered) /* expect: SUSPEND 1 */
#pragma omp taskgroup /* expect: SUSPEND 1 */
            {
                omp_event_handle_t event;
#pragma omp task detach(event) /* expect: TASK 1 */
                detached += 1;
                omp_fulfill_event(event);
            }
#pragma omp taskloop grainsize(7) /* expect: TASK 8, SUSPEND 1 */
            for (i = 0; i < N; i++)
#pragma omp atomic
                loop += i;
#pragma omp taskloop num_tasks(4) reduction(+ : reduced) /* expect: TASK 4, SUSPEND 1 */
            for (i = 0; i < N; i++) reduced += i;
#pragma omp taskloop nogroup /* expect: TASK T */
            for (i = 0; i < N; i++)
#pragma omp atomic
                loop += 1;
#pragma omp taskwait /* expect: SUSPEND 1 */
        }
        /* Tasks that a barrier runs. */
#pragma omp task /* expect: TASK T */
#pragma omp atomic
        done += 0;
#pragma omp barrier /* expect: EBAR T */
        /* A task that is itself the master of a region. */
#pragma omp single nowait /* expect: SINGLE 1 */
#pragma omp task /* expect: TASK 1 */
#pragma omp parallel num_threads(1) /* expect: FORK 1, IBAR 1 */
#pragma omp atomic
        done += 1000;
    }
#pragma omp task /* expect: TASK 1 */
    done += 5000;
#pragma omp taskwait /* expect: SUSPEND 1 */
    printf("%ld %ld %ld %ld %ld %ld %ld\n", fib, done, ordered, loop, reduced, detached, copied);
    return 0;
}
