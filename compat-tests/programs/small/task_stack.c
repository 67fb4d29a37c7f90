/* Deep recursion of undeferred and deferred tasks on small stacks. */
/* with: OMP_STACKSIZE=64k */
#include <omp.h>
#include <stdio.h>

static long count;

static void down(int depth) {
    char local[200];
    local[depth % 200] = (char)depth;
#pragma omp task if (0) shared(local)
    {
        local[0] += 1;
        if (depth > 0) down(depth - 1);
    }
#pragma omp atomic
    count += local[depth % 200] == (char)(depth + (depth % 200 == 0));
}

static void wide(int depth) {
#pragma omp task firstprivate(depth)
    if (depth > 0) wide(depth - 1);
#pragma omp taskwait
#pragma omp atomic
    count += 1;
}

int main(void) {
#pragma omp parallel
    {
#pragma omp task
        down(30);
#pragma omp single
        wide(40);
    }
    printf("%ld\n", count - 31 * omp_get_max_threads());
    return 0;
}
