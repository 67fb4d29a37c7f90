/* Sections, with and without their barrier. */
#include <stdio.h>

int main(void) {
    long a = 0, b = 0, c = 0;
    /* Not a and b: the reduction below may start while others are still here, and it writes its variables without "atomic". */
    long d = 0, e = 0;
#pragma omp parallel /* expect: FORK 1, IBAR T, IDLE T-1 */
    {
#pragma omp sections /* expect: IBAR T */
        {
#pragma omp section
            a = 1;
#pragma omp section
            b = 2;
#pragma omp section
            c = 3;
        }
#pragma omp sections nowait
        {
#pragma omp section
#pragma omp atomic
            d += 10;
#pragma omp section
#pragma omp atomic
            e += 10;
        }
#pragma omp sections reduction(+ : a, b) /* expect: IBAR T, ATWT 0..T-1 */
        {
#pragma omp section
            a += 100;
#pragma omp section
            b += 100;
        }
#pragma omp sections lastprivate(c) /* expect: IBAR T */
        {
#pragma omp section
            c = 4;
#pragma omp section
            c = 5;
        }
    }
    printf("%ld %ld %ld %ld %ld\n", a, b, c, d, e);
    return 0;
}
