/* Loads each library, calls its `run`, prints its address, and closes it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **paths) {
    for (int i = 1; i < count; i++) {
        void *library = dlopen(paths[i], RTLD_NOW);
        void (*run)(void) = library ? (void (*)(void))dlsym(library, "run") : NULL;
        Dl_info info;
        if (!run || !dladdr((void *)run, &info)) return 1;
        run();
        printf("%p\n", info.dli_fbase);
        dlclose(library);
    }
    return 0;
}
