/* The same requests with cancellation off: every task runs. */
/* with: OMP_CANCELLATION=false */
#include <omp.h>
#include <stdio.h>

int main(void) {
    long ran = 0;
    int i;
    printf("%d\n", omp_get_cancellation());
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
    for (i = 0; i < 200; i++) {
#pragma omp task shared(ran) firstprivate(i)
        {
#pragma omp cancel taskgroup if (i % 3 == 0)
#pragma omp cancellation point taskgroup
#pragma omp atomic
            ran += i;
        }
    }
    printf("%ld\n", ran);
    return 0;
}
