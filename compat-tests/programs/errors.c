/* Error directives that are executed: two warnings and then, with an argument, the end of the program. gcc 12 is the first release that
 * supports them; an older one reports that. */
#include <stdio.h>

int main(int argc, char **argv) {
    (void)argv;
#if __GNUC__ >= 12 && !defined __clang__
#pragma omp error at(execution) severity(warning) message("look out")
#pragma omp error at(execution) severity(warning)
    puts("warned");
    fflush(stdout);
    if (argc > 1) {
#pragma omp error at(execution) severity(fatal) message("the end")
    }
#else
    (void)argc;
    puts("no error directive");
#endif
    return 0;
}
