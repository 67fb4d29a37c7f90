/* Atomic updates that the runtime guards with a lock, and small ones that it never sees. */
#include <stdio.h>

enum { ROUNDS = 50 };

struct pair {
    long a, b;
};

static void join_pairs(struct pair *out, const struct pair *in) {
    out->a += in->a;
    out->b += in->b;
}

#pragma omp declare reduction(join : struct pair : join_pairs(&omp_out, &omp_in)) initializer(omp_priv = {0, 0})

int main(void) {
    long double large = 0;
    long small = 0;
    struct pair pair = {0, 0};
#pragma omp atomic
    large += 1;
#pragma omp parallel reduction(join : pair) /* expect: FORK 1, IBAR T, IDLE T-1, ATWT 0..51*T*(T>1) */
    {
        int round;
        for (round = 0; round < ROUNDS; round++) {
#pragma omp atomic
            large += 2;
#pragma omp atomic
            small += 1;
            pair.a += 1;
            pair.b += 2;
        }
    }
    printf("%.0Lf %ld %ld %ld\n", large, small, pair.a, pair.b);
    return 0;
}
