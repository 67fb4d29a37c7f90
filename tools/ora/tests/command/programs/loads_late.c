/* Without LIBRARY: loads libraries one after the other, and prints the size of the last one's team. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

#ifdef LIBRARY
int team(void) {
    int size = 0;
#pragma omp parallel
#pragma omp masked
    size = omp_get_num_threads();
    return size;
}
#else
int main(int count, char **words) {
    int size = omp_get_max_threads();
    for (int i = 1; i < count; i++) {
        void *library = dlopen(words[i], RTLD_NOW);
        int (*team)(void) = library ? (int (*)(void))dlsym(library, "team") : NULL;
        if (!team) return 1;
        size = team();
    }
    printf("%d\n", size);
    return 0;
}
#endif
