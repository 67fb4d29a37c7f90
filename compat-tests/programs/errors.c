/* Error directives that are executed: two warnings, then, with an argument, the program's end. gcc 12 is the first that has
 * them; an older one says so. */
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
