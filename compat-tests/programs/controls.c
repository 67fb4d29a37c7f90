/* Results of `omp_control_tool` for a program before, in and after a region, and the arguments that its tool gets. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* gcc's header doesn't declare it. */
extern int omp_control_tool(int command, int modifier, void *argument);

int main(void) {
    void (*answers)(void);
    void *found = dlsym(RTLD_DEFAULT, "tool_answers");
    memcpy(&answers, &found, sizeof answers);
    printf("%d", omp_control_tool(1, 0, NULL));
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        printf(" %d", omp_control_tool(2, 0, NULL));
        if (answers) answers();
    }
    printf(" %d\n", omp_control_tool(4, 0, NULL));
    if (answers) answers();
    return 0;
}
