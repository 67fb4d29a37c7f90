/* Opens a library and prints its sum. A signal ends the program if that takes a minute. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    alarm(60);
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int *sum = library ? (int *)dlsym(library, "sum") : NULL;
    printf("%d\n", sum ? *sum : -1);
    return 0;
}
