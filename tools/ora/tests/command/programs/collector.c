/* An ORA collector: counts FORK events, and says how many at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int forks;

static void on_fork(int event)
{
    (void)event;
    forks++;
}

__attribute__((constructor)) static void enter(void)
{
    int (*api)(void *) = (int (*)(void *))dlsym(RTLD_DEFAULT, "__omp_collector_api");
    int32_t words[12] = { 16, 0, -1, 0, 28, 1, -1, 0, 1 };
    void (*callback)(int) = on_fork;
    memcpy(&words[9], &callback, sizeof callback);
    if (api)
        api(words);
}

__attribute__((destructor)) static void leave(void)
{
    fprintf(stderr, "collector: %d forks\n", forks);
}
