/* Three regions, or as many as the third argument says; the first thread of each calls a function of a library (FILE FUNCTION), which
   has a region itself. */
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>

int main(int count, char **words)
{
    void *library = count > 2 ? dlopen(words[1], RTLD_NOW) : 0;
    if (!library)
        return 1;
    int (*function)(void) = (int (*)(void))dlsym(library, words[2]);
    int regions = count > 3 ? atoi(words[3]) : 3;
    for (int i = 0; i < regions; i++) {
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0)
                function();
            else if (count > 3)
                for (volatile int step = 0; step < 1000000; step++)
                    ;
        }
    }
    return 0;
}
