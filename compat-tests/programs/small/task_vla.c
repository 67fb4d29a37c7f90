/* Arrays of variable length as firstprivate arguments: gcc gives such tasks a copy function. */
#include <omp.h>
#include <stdio.h>

static long total;

static void tasks(int n, int deferred) {
    int array[n], i;
    double table[n][3];
    for (i = 0; i < n; i++) array[i] = i, table[i][0] = table[i][1] = table[i][2] = i;
#pragma omp task firstprivate(array, table, n) if (deferred) private(i)
    {
        long sum = 0;
        for (i = 0; i < n; i++) sum += array[i] + (long)(table[i][0] + table[i][1] + table[i][2]);
#pragma omp atomic
        total += sum;
    }
    for (i = 0; i < n; i++) array[i] = -1;
#pragma omp task firstprivate(array) final(!deferred) private(i)
    for (i = 0; i < n; i++)
#pragma omp atomic
        total += array[i];
}

int main(void) {
    const int sizes[] = {1, 2, 17, 127, 128, 129, 1000, 5000};
    int i;
#pragma omp parallel
#pragma omp single
    for (i = 0; i < 8; i++) {
        tasks(sizes[i], 1);
        tasks(sizes[i], 0);
    }
    tasks(33, 1);
    printf("%ld\n", total);
    return 0;
}
