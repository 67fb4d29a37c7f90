/* Loops over unsigned long long and pointers, with each schedule, over collapsed, triangular and empty ranges. */
#include <limits.h>
#include <omp.h>
#include <stdio.h>

int main(void) {
    unsigned long long sum = 0, i;
    long turns = 0, pairs = 0, chars = 0;
    const char text[] = "each of these letters is visited";
    const char *at;
    long long j, k;
#pragma omp parallel reduction(+ : sum, turns, pairs, chars) private(j, k)
    {
#pragma omp for schedule(dynamic, 3) nowait
        for (i = ULLONG_MAX - 100; i < ULLONG_MAX - 2; i += 3) sum += i, turns++;
#pragma omp for schedule(guided)
        for (i = ULLONG_MAX; i > ULLONG_MAX - 60; i--) sum += i, turns++;
#pragma omp for schedule(runtime)
        for (i = 5; i < 5; i++) turns += 1000000;
#pragma omp for schedule(nonmonotonic : guided, 2)
        for (i = 0; i <= 1ull << 62; i += 1ull << 58) turns++;
#pragma omp for schedule(dynamic) collapse(2)
        for (j = -10; j < 10; j++)
            for (k = 20; k > 0; k -= 3) pairs += j * k;
#pragma omp for collapse(2)
        for (j = 0; j < 12; j++)
            for (k = j; k < 12; k++) pairs += 1;
#pragma omp for schedule(dynamic)
        for (at = text; at < text + sizeof text - 1; at++) chars += *at;
#pragma omp for schedule(static, 2)
        for (at = text + sizeof text - 2; at >= text; at -= 2) chars += *at;
    }
    printf("%llu %ld %ld %ld\n", sum, turns, pairs, chars);
    return 0;
}
