/* taskloop with every clause: grain size, number of tasks, both strict, nogroup, collapse, if, final, untied, mergeable,
 * priority, firstprivate, lastprivate, reductions, steps up and down. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

static long total;

static void add(long value) {
#pragma omp atomic
    total += value;
}

static void loops(int n, int yes) {
    struct {
        int values[300];
    } large;
    int i, j, last = -1;
    long sum = 0, product = 1, inner = 0;
    memset(&large, 0, sizeof large);
    large.values[299] = 7;
#pragma omp taskloop grainsize(5)
    for (i = 0; i < n; i++) add(i);
#pragma omp taskloop grainsize(strict : 7) firstprivate(large)
    for (i = n; i > 0; i -= 3) add(i + large.values[299]);
#pragma omp taskloop num_tasks(6) lastprivate(last)
    for (i = 0; i <= n; i += 2) last = i;
#pragma omp taskloop num_tasks(strict : 9) untied
    for (i = -n; i < n; i += 7) add(i);
#pragma omp taskloop nogroup priority(1)
    for (i = 0; i < n; i++) add(1);
#pragma omp taskwait
#pragma omp taskloop collapse(2) if (yes)
    for (i = 0; i < n / 4; i++)
        for (j = n / 4; j > 0; j--) add(i * j);
#pragma omp taskloop final(yes) mergeable
    for (i = 0; i < n; i++) add(omp_in_final() == (yes ? 1 : 0));
#pragma omp taskloop reduction(+ : sum) reduction(* : product)
    for (i = 0; i < n; i++) {
        sum += i;
        product *= i == n / 2 ? 3 : 1;
    }
#pragma omp taskgroup task_reduction(+ : inner)
#pragma omp taskloop in_reduction(+ : inner) nogroup
    for (i = 0; i < n; i++) inner += 2;
#pragma omp taskloop simd reduction(+ : sum)
    for (i = 0; i < n; i++) sum += 1;
    /* None at all, and one. */
#pragma omp taskloop
    for (i = 5; i < 5; i++) add(1000000);
#pragma omp taskloop num_tasks(100)
    for (i = 0; i < 1; i++) add(5);
    printf("%ld %d %ld %ld %ld\n", total, last, sum, product, inner);
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        loops(100, 1);
        loops(41, 0);
    }
#pragma omp parallel
#pragma omp masked
    loops(16, 1);
    loops(33, 1);
    return 0;
}
