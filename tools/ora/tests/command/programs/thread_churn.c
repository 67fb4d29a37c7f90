/* Nested regions, whose inner teams libgomp creates anew each time, in a process with many mappings. Prints the bytes that the process
   has read. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int count, char **words) {
    int mappings = atoi(words[1]), rounds = count > 2 ? atoi(words[2]) : 0;
    for (int i = 0; i < mappings; i++) mmap(0, 8192, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long members = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : members)
    for (int i = 0; i < rounds; i++)
#pragma omp parallel num_threads(2) reduction(+ : members)
        members++;
    FILE *file = fopen("/proc/self/io", "r");
    long bytes = 0;
    if (members != 4L * rounds || !file || fscanf(file, "rchar: %ld", &bytes) != 1) return 1;
    printf("%ld\n", bytes);
    return 0;
}
