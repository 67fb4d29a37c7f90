/* A plugin with OpenMP is loaded, used and unloaded; the runtime goes with it while its threads live. */
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
    dlclose(plugin);
    usleep(300000);
    return 0;
}
