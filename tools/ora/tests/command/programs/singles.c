/* As many single constructs in one region of two threads as the first argument says; prints how many of them were executed, and returns
 * the second argument. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    int singles = count > 1 ? atoi(words[1]) : 1, code = count > 2 ? atoi(words[2]) : 0, sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    for (int i = 0; i < singles; i++) {
#pragma omp single nowait
        sum += 1;
    }
    printf("%d\n", sum);
    return code;
}
