/* A parallel region, a line, then waits for the end of its input. */
#include <stdio.h>

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    printf("%d\n", sum);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
