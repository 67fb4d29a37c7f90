/* gcc keeps the address of a body, and that of a critical section's name, in the same register: each is for several calls. */
#include <stdlib.h>

static double a[1000];

int main(int count, char **words) {
    int n = count > 1 ? atoi(words[1]) : 1000;
    for (int i = 0; i < 100; i++) {
#pragma omp parallel for /* first */
        for (int j = 0; j < n; j++) a[j] += rand();
    }
#pragma omp parallel for /* second */
    for (int j = 0; j < n; j++) {
        int number = rand();
#pragma omp critical(total)
        a[0] += number + rand();
    }
    return a[1] > 1e300;
}
