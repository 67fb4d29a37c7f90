/* Three regions; the first thread of each calls a function of a library (FILE FUNCTION), which has one, too. */
#include <dlfcn.h>
#include <omp.h>

int main(int count, char **words)
{
    void *library = count > 2 ? dlopen(words[1], RTLD_NOW) : 0;
    if (!library)
        return 1;
    int (*function)(void) = (int (*)(void))dlsym(library, words[2]);
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0)
            function();
    }
    return 0;
}
