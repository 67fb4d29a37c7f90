/* A master region and a single region. */
int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        sum += 1;
#pragma omp single
        sum += 2;
    }
    return sum - 3;
}
