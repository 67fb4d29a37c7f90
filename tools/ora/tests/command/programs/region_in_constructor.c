/* A library whose constructor has a parallel region: its threads begin while another one holds the dynamic linker's lock. */
int sum;

__attribute__((constructor)) static void begin(void) {
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++) {
#pragma omp atomic
            sum += i;
        }
    }
}
