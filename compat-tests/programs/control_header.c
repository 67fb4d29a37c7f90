/* Prints the results of omp_control_tool, with the header that declares it; as C and as C++. */
#include "omp_control_tool.h"
#include <stdio.h>

int main(void) {
#ifdef KMP_VERSION_MAJOR
    int there = 1;
#else
    int there = omp_control_tool != NULL;
#endif
    printf("%d", omp_get_max_threads() > 0);
    if (there)
        printf(" %d\n", omp_control_tool(omp_control_tool_pause, 0, NULL) == omp_control_tool_notool);
    else
        printf(" none\n");
    return 0;
}
