/* Every operator, many variables in one reduction, arrays, sections, pointers, user-defined types. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "../older_names.h"

enum { N = 120 };

struct extent {
    int low, high;
};
static void widen(struct extent *a, const struct extent *b) {
    if (b->low < a->low) a->low = b->low;
    if (b->high > a->high) a->high = b->high;
}
#pragma omp declare reduction(widen : struct extent : widen(&omp_out, &omp_in)) initializer(omp_priv = omp_orig)

int main(void) {
    long plus = 0, minus = 1000, times = 1, array[5] = {0}, *heap = calloc(8, sizeof *heap);
    unsigned and = ~0u, or = 0, xor = 0;
    int both = 1, either = 0, low = 99999, high = -99999, i;
    double real = 0;
    long double wide = 0;
    struct extent extent = {500, 500};
    if (!heap) return 1;
#pragma omp parallel for reduction(+ : plus, array, real, wide, heap[0 : 8]) reduction(- : minus) reduction(* : times)        \
    reduction(& : and) reduction(| : or) reduction(^ : xor) reduction(&& : both) reduction(|| : either)                      \
    reduction(min : low) reduction(max : high) reduction(widen : extent) schedule(dynamic, 3)
    for (i = 0; i < N; i++) {
        struct extent here = {i * 7 % 1000, i * 11 % 1000};
        plus += i;
        minus -= 1;
        times *= i % 40 ? 1 : 3;
        and &= ~(1u << i % 5);
        or |= 1u << i % 17;
        xor ^= (unsigned)i;
        both = both && i >= 0;
        either = either || i == 77;
        if (i < low) low = i;
        if (i > high) high = i;
        array[i % 5] += 1;
        heap[i % 8] += i;
        real += 0.5;
        wide += 0.25L;
        widen(&extent, &here);
    }
    printf("%ld %ld %ld %x %x %x %d %d %d %d %ld %ld %g %Lg %d %d\n", plus, minus, times, and, or, xor, both, either, low,
           high, array[4], heap[7], real, wide, extent.low, extent.high);
    free(heap);
    return 0;
}
