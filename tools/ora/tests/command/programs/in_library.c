/* A region and a task in a library. NAME: that of the function. STEPS: of work in the region, for each thread. */
#ifndef STEPS
#define STEPS 0
#endif

int NAME(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        for (volatile int step = 0; step < STEPS; step++)
            ;
#pragma omp single
#pragma omp task shared(sum)
        sum += 1;
    }
    return sum;
}
