/* if, final and mergeable in all combinations: what is undeferred, what is included, and what the queries say inside. */
#include "../queries.h"

static int seen[2][2][2][3];
static unsigned long hash;

static void nested(int *at, int depth) {
#pragma omp atomic
    at[0] += omp_in_final();
#pragma omp atomic
    hash += hash_of_team("task");
    if (depth == 0) return;
#pragma omp task mergeable
    nested(at, depth - 1);
#pragma omp task untied
    nested(at, depth - 1);
    int included = 0;
#pragma omp task shared(included) if (0)
    included = 1 + omp_in_final();
#pragma omp atomic
    at[1] += included;
#pragma omp taskwait
#pragma omp atomic
    at[2] += 1;
}

static void all(const char *where) {
    int i, f, m;
    for (i = 0; i < 2; i++)
        for (f = 0; f < 2; f++) {
#pragma omp task if (i) final(f) shared(seen)
            nested(seen[i][f][0], 3);
#pragma omp task if (i) final(f) mergeable shared(seen)
            nested(seen[i][f][1], 2);
        }
#pragma omp taskwait
    for (i = 0; i < 2; i++)
        for (f = 0; f < 2; f++)
            for (m = 0; m < 2; m++) printf("%d %d %d, ", seen[i][f][m][0], seen[i][f][m][1], seen[i][f][m][2]);
    printf("%s %lx\n", where, hash);
}

int main(void) {
    all("outside");
#pragma omp parallel
#pragma omp single
    all("inside");
    say_queries("end");
    return 0;
}
