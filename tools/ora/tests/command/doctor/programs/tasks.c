/* A task. */
int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task shared(sum)
    sum += 1;
    return sum - 1;
}
