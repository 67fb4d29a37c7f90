/* Runs a region, and creates a file just before the program ends. */
#include <stdio.h>

int main(int argc, char **argv)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (file)
        fclose(file);
    return sum != 2;
}
