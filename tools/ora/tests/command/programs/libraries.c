/* Loads libraries (FILE FUNCTION ...), and calls a function of each. CLOSE: unloads each after that. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words)
{
    int sum = 0;
    for (int i = 1; i + 1 < count; i += 2) {
        void *library = dlopen(words[i], RTLD_NOW);
        sum += library ? ((int (*)(void))dlsym(library, words[i + 1]))() : 100;
#ifdef CLOSE
        if (library)
            dlclose(library);
#endif
    }
    printf("%d\n", sum);
    return 0;
}
