/* Opens the library that the first argument names, for itself alone, and calls it; "deep" as the second: with its own
   libraries first. Then waits for a line if there is a third. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words)
{
    void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL | (count > 2 && words[2][0] == 'd' ? RTLD_DEEPBIND : 0));
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 9;
    }
    int (*part)(void) = (int (*)(void))dlsym(library, "part");
    printf("%d\n", part());
    fflush(stdout);
    return count > 3 ? getchar() == 0 : 0;
}
