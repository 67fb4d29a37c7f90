/* A region in a function that the compiler inlines at each call. Each thread of the region adds one. */
#include <stdio.h>

static int sum;

static inline __attribute__((always_inline)) void grow(int times)
{
    for (int i = 0; i < times; i++) {
#pragma omp parallel num_threads(2)
        __atomic_add_fetch(&sum, 1, __ATOMIC_RELAXED);
    }
}

int main(void)
{
    grow(1);
    printf("%d\n", sum);
    grow(2);
    grow(30);
    printf("%d\n", sum);
    return 0;
}
