/* The program with the cure applied: keep the plugin loaded (RTLD_NODELETE). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    void *plugin = dlopen(getenv("CASE_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        return 1;
    double (*filter)(void) = (double (*)(void))dlsym(plugin, "filter");
    printf("%.3f\n", filter());
    fflush(stdout);
    usleep(300000);
    return 0;
}
