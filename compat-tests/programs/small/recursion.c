/* Regions that open regions that open regions: a sort by nested sections, a sum by nested teams. */
#include <omp.h>
#include <stdio.h>

static void sort(int *low, int *high) {
    int *left = low, *right = high - 1, pivot;
    if (high - low < 2) return;
    pivot = low[(high - low) / 2];
    while (left <= right) {
        while (*left < pivot) left++;
        while (*right > pivot) right--;
        if (left <= right) {
            const int swap = *left;
            *left++ = *right;
            *right-- = swap;
        }
    }
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        sort(low, right + 1);
#pragma omp section
        sort(left, high);
    }
}

static long sum(int depth) {
    long total = 0;
#pragma omp parallel num_threads(2) reduction(+ : total)
    total += depth > 0 ? sum(depth - 1) : 1;
    return total;
}

int main(void) {
    int values[300], i;
    unsigned seed = 7;
    long hash = 0;
    for (i = 0; i < 300; i++) values[i] = (int)((seed = seed * 1103515245 + 12345) >> 16 & 0x3ff);
    omp_set_max_active_levels(3);
    sort(values, values + 300);
    for (i = 0; i < 300; i++) hash = (hash * 31 + values[i]) % 1000003;
    printf("%ld %ld\n", hash, sum(5));
    return 0;
}
