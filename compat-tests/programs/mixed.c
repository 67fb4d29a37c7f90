/* Its own regions, and those of a library that another compiler built for another runtime: `mixed LIBRARY` opens it (mixed_part.c).
 * Prints what both have counted. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
    long total = 0, own, i;
    long (*part)(void) = NULL;
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library) *(void **)&part = dlsym(library, "part");
    if (!part) return 2;
    for (i = 0; i < 3; i++) {
        own = 0;
#pragma omp parallel num_threads(2) reduction(+ : own)
        {
            own++;
#pragma omp barrier
            own++;
        }
        total += 100 * own + part();
    }
    printf("%ld\n", total);
    return 0;
}
