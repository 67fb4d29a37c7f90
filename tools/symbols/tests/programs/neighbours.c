/* Calls of the runtime that stand side by side, of which gcc gives the last one its neighbour's line. */
#include <stdlib.h>

static double a[1000], b[1000];

static void smooth(int n) {
#pragma omp parallel for /* first */
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i];
#pragma omp parallel for /* second */
    for (int i = 1; i < n - 1; i++) a[i] = b[i] / 4;
#pragma omp parallel /* third */
    {
#pragma omp critical
        a[0] += rand();
    }
}

int main(void) {
    for (int i = 0; i < 1000; i++) a[i] = rand();
    for (int i = 0; i < 3; i++) smooth(1000);
    return a[1] > 1e300;
}
