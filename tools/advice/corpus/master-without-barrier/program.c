/* Thread 0 sets the start value of a sum, while others may be done with their share. */
#include <stdio.h>

int main(void) {
    int total = 0;
#pragma omp parallel
    {
#pragma omp master
        total = 100; /* HERE */
#pragma omp for reduction(+ : total)
        for (int i = 0; i < 1000; i++)
            total += i;
    }
    printf("%s\n", total == 499600 ? "right" : "wrong");
    return 0;
}
