/* One parallel region of two threads; prints how many took part and returns the first argument. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    printf("%d\n", sum);
    return count > 1 ? atoi(words[1]) : 0;
}
