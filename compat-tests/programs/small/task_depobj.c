/* Dependence objects: made, updated, used in tasks and in taskwait, destroyed. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int x = 1, y = 2, seen = 0;
    omp_depend_t first, second;
#pragma omp depobj(first) depend(in : x)
#pragma omp depobj(second) depend(inout : y)
#pragma omp depobj(first) update(inout)
#pragma omp parallel
#pragma omp single
    {
        int i;
        for (i = 0; i < 50; i++) {
#pragma omp task depend(depobj : first) firstprivate(i)
            x = (x * 3 + i) % 1009;
#pragma omp task depend(depobj : second) depend(in : x)
            y = (y * 5 + x) % 2003;
        }
#pragma omp taskwait depend(depobj : first, second)
        seen = x * 10000 + y;
    }
#pragma omp depobj(first) update(mutexinoutset)
#pragma omp parallel
#pragma omp single
    {
        int i;
        for (i = 0; i < 30; i++) {
#pragma omp task depend(depobj : first)
            x += 1;
        }
    }
    printf("%d %d %d\n", seen, x, y);
#pragma omp depobj(first) destroy
#pragma omp depobj(second) destroy
    return 0;
}
