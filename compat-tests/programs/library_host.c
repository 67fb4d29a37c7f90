/* Has no runtime itself: `library_host LIBRARY ARGUMENTS` opens the library with RTLD_LOCAL and calls its function `run`. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library ? dlsym(library, "run") : NULL;
    int (*run)(int, char **);
    if (!symbol) return fprintf(stderr, "%s\n", dlerror()), 2;
    memcpy(&run, &symbol, sizeof run);
    return run(argc - 1, argv + 1);
}
