/* A search sets a flag that is read after the region. */
#include <stdio.h>

static int values[10000];

int main(void) {
    int found = 0;
    for (int i = 0; i < 10000; i++)
        values[i] = i % 100;
#pragma omp parallel for
    for (int i = 0; i < 10000; i++)
        if (values[i] == 42)
            found = 1; /* HERE */
    printf("%d\n", found);
    return 0;
}
