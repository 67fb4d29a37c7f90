/* Lists of dependences that turn out to be empty: iterators without a value. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int values[8] = {0}, count, i, sum = 0;
#pragma omp parallel
#pragma omp single
    for (count = 0; count < 4; count++) {
#pragma omp task depend(iterator(i = 0 : count), inout : values[i])
#pragma omp atomic
        sum += 1;
#pragma omp task depend(iterator(i = 0 : count), in : values[i]) if (0)
#pragma omp atomic
        sum += 10;
#pragma omp taskwait depend(iterator(i = 0 : count), in : values[i])
    }
    for (i = 0; i < 8; i++) sum += values[i];
    printf("%d\n", sum);
    return 0;
}
