/* Untied tasks, which may be suspended at any point and continue on another thread. Those of libgomp never do. */
#include <stdio.h>

enum { N = 60 };

int main(void) {
    long done = 0, after = 0;
    int i;
#pragma omp parallel /* expect: FORK 1, IBAR T, IDLE T-1 */
#pragma omp single /* expect: SINGLE 1, EBAR T */
    for (i = 0; i < N; i++) {
#pragma omp task untied /* expect: TASK 60 */
        {
#pragma omp critical(count) /* expect: CTWT 0..60*(T>1) */
            done += 1;
#pragma omp taskyield
#pragma omp task untied /* expect: TASK 60 */
#pragma omp atomic
            after += 1;
        }
    }
    printf("%ld %ld\n", done, after);
    return 0;
}
