/* Task groups that are cancelled with tasks pending, also with copy functions, dependences and nested groups. What ran
 * before the cancellation is chance; what must never run, and what must, is not. */
/* with: OMP_CANCELLATION=true */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int n = 40;

int main(void) {
    long ran = 0, behind = 0, outside = 0, impossible = 0, round;
    printf("%d\n", omp_get_cancellation());
#pragma omp parallel
#pragma omp single
    for (round = 0; round < 30; round++) {
        struct {
            char bytes[1200];
        } large;
        int i, array[n];
        int stop = 0;
        memset(&large, 1, sizeof large);
        for (i = 0; i < n; i++) array[i] = i;
#pragma omp task shared(outside)
#pragma omp atomic
        outside += 1;
#pragma omp taskgroup
        {
#pragma omp task shared(stop) depend(out : stop)
            {
                stop = 1;
#pragma omp cancel taskgroup
#pragma omp atomic
                impossible += 1;
            }
            for (i = 0; i < 20; i++) {
#pragma omp task firstprivate(large) shared(ran)
#pragma omp atomic
                ran += large.bytes[i % 100];
#pragma omp task firstprivate(array) shared(ran) untied
#pragma omp atomic
                ran += array[1];
#pragma omp task depend(in : stop) shared(behind)
#pragma omp atomic
                behind += 1;
#pragma omp task shared(ran)
                {
#pragma omp cancellation point taskgroup
#pragma omp taskgroup
                    {
#pragma omp task
#pragma omp atomic
                        ran += 1;
                    }
                }
            }
        }
        if (!stop) printf("the cancelling task never ran\n");
    }
    printf("%d %ld %ld %ld\n", ran <= 30 * 20 * 3, behind, outside, impossible);
    return 0;
}
