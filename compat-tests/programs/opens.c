/* Opens a library with local or global symbols, and then executes a parallel region: `opens nothing|local|global LIBRARY`. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* In `main`, its runtime would start before the library is opened. */
__attribute__((noinline)) static int region(void) {
    int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
    return members;
}

int main(int argc, char **argv) {
    const char *how = argc > 2 ? argv[1] : "nothing";
    if (strcmp(how, "nothing") && !dlopen(argv[2], RTLD_NOW | (strcmp(how, "local") ? RTLD_GLOBAL : RTLD_LOCAL))) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    return region() != 2;
}
