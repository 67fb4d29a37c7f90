/* taskloop over unsigned long long bounds near both ends of their range, and with 64-bit steps. */
#include <limits.h>
#include <omp.h>
#include <stdio.h>

static unsigned long long total;
static long turns;

static void add(unsigned long long value) {
#pragma omp atomic
    total += value;
#pragma omp atomic
    turns += 1;
}

int main(void) {
    unsigned long long i, last = 0;
    long long k;
    struct {
        char bytes[1500];
    } large = {{1}};
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(4)
        for (i = ULLONG_MAX - 50; i < ULLONG_MAX - 1; i++) add(i);
#pragma omp taskloop num_tasks(5) lastprivate(last) firstprivate(large)
        for (i = ULLONG_MAX; i > ULLONG_MAX - 1000; i -= 33) {
            add(i + (unsigned long long)large.bytes[0]);
            last = i;
        }
#pragma omp taskloop
        for (k = LLONG_MIN + 10; k < LLONG_MIN + 200; k += 7) add((unsigned long long)k);
#pragma omp taskloop num_tasks(3)
        for (i = 0; i < ULLONG_MAX - 5; i += ULLONG_MAX / 10) add(i);
#pragma omp taskloop collapse(2) grainsize(6)
        for (i = 10; i < 20; i++)
            for (unsigned long long j = 1ull << 40; j < (1ull << 40) + 5; j++) add(i * j);
    }
    printf("%llu %ld %llu\n", total, turns, last);
    return 0;
}
