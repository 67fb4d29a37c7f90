/* Has entry points of its own. */
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)threads;
    (void)flags;
    function(data);
}

int main(void)
{
    int sum = 0;
#pragma omp parallel shared(sum)
    sum += 1;
    return sum - 1;
}
