/* The program with the cure applied: reduction(||:found), or an atomic write. */
#include <stdio.h>

static int values[10000];

int main(void) {
    int found = 0;
    for (int i = 0; i < 10000; i++)
        values[i] = i % 100;
#pragma omp parallel for reduction(|| : found)
    for (int i = 0; i < 10000; i++)
        if (values[i] == 42)
            found = 1;
    printf("%d\n", found);
    return 0;
}
