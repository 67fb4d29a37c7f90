/* Calls that create a task or wait for one run other tasks, which make such calls of their own. What the calls order is not lost.
   Twin: nothing waits for the task after them. */
#include "../archer/apart.h"

static long value, order, sum;

int main(void) {
    long x = 0, y = 0, z = 0, parts[4] = {0}, k = 0, i;
    (void)z;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task depend(out : x) shared(x, k, parts, sum)
        {
            long j;
#pragma omp task shared(k)
            k = 1;
#pragma omp taskloop nogroup num_tasks(4) shared(parts)
            for (j = 0; j < 4; j++)
                parts[j] = j;
#pragma omp taskwait
            sum = parts[1] + parts[2];
            x = 1;
        }
#pragma omp task if (0) depend(in : x) shared(x, y)
        y = x;
        y++;
#pragma omp taskloop if (0) num_tasks(4) shared(order, parts)
        for (i = 0; i < 4; i++) {
            long j;
#pragma omp taskloop num_tasks(2) shared(parts)
            for (j = 0; j < 2; j++)
                parts[j] = i;
            order += i;
        }
#pragma omp task depend(out : z) shared(sum)
        {
#pragma omp task shared(sum)
            sum++;
#pragma omp taskwait
            sum++;
        }
#pragma omp taskwait depend(in : z)
#pragma omp task
        value = 5; /* race */
#ifndef TWIN
#pragma omp taskwait
#endif
        value++; /* race */
    }
    return value != 6 || order != 6 || sum != 5 || y != 2 || k != 1;
}
