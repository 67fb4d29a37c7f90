/* A library with a parallel region. */
#pragma GCC visibility push(default)
void library_region(void);
#pragma GCC visibility pop

void library_region(void) {
    static int members;
#pragma omp parallel num_threads(2)
#pragma omp atomic
    members++;
}
