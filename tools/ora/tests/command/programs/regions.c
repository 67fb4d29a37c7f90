/* As many parallel regions of two threads as the first argument says; prints a line and returns the second argument. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    int regions = count > 1 ? atoi(words[1]) : 1, code = count > 2 ? atoi(words[2]) : 0, sum = 0;
    for (int i = 0; i < regions; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum += 1;
    }
    printf("%d\n", sum);
    return code;
}
