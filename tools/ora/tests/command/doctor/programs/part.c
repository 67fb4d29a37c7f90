/* A library with a parallel region. */
int part(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    return sum;
}
