/* A library that a user preloads: says so when the process ends. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((destructor)) static void leave(void)
{
    printf("preloaded %s\n", getenv("LD_PRELOAD"));
}
