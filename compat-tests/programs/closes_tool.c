/* Opens a library that has a tool, before its first region, and closes it while the tool is attached: `closes_tool LIBRARY WHO`,
 * where WHO is `program`, or `tool`: then the tool does it in a callback. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int regions(int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
#pragma omp parallel num_threads(3) reduction(+ : sum)
        sum += omp_get_thread_num() + 1;
    return sum;
}

int main(int argc, char **argv) {
    void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    int *heard = library ? (int *)dlsym(library, "closing_heard") : NULL;
    void **handle = library ? (void **)dlsym(library, "closing_handle") : NULL;
    if (!heard || !handle) return 2;
    int sum = regions(5);
    printf("heard %d\n", *heard > 0);
    if (strcmp(argv[2], "tool") == 0) {
        *handle = library;
        sum += regions(1);
    } else {
        sum += regions(1);
        dlclose(library);
    }
    sum += regions(5);
    printf("sum %d\n", sum);
    return 0;
}
