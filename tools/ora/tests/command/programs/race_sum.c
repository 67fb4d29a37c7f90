/* A sum in a global variable, which `work` of another file also updates, unless a macro replaces it. */
long total;
#ifndef work
void work(long i);
#endif

int main(void) {
#pragma omp parallel for num_threads(4)
    for (long i = 0; i < 4000; i++) {
        total += i % 3;
        work(i);
    }
    return total > 0 ? 0 : 1;
}
