/* A region and a task in a library. NAME: the function's. */
int NAME(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp single
#pragma omp task shared(sum)
    sum += 1;
    return sum;
}
