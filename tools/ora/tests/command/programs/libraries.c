/* Loads libraries (FILE FUNCTION ...), and calls a function of each. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words)
{
    int sum = 0;
    for (int i = 1; i + 1 < count; i += 2) {
        void *library = dlopen(words[i], RTLD_NOW);
        sum += library ? ((int (*)(void))dlsym(library, words[i + 1]))() : 100;
    }
    printf("%d\n", sum);
    return 0;
}
