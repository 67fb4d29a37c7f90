/* The library of mixed.c: a region of three threads with a barrier. */
long part(void);
long part(void) {
    long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
        sum++;
#pragma omp barrier
        sum++;
    }
    return sum;
}
