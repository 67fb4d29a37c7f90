/* Prints whether the libraries that it is linked to open a file because a variable names it, and whether the process runs with more
 * privileges than its user. */
#include <fcntl.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

extern int __omp_collector_api(void *);

static int opened;

static int look(int folder, const char *path, int flags, int mode) {
    if (strstr(path, "named-by-a-variable")) opened += 1;
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

static int mode_of(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; }

/* The process's calls reach these functions first. */
#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list rest;                                                                                                  \
        int mode;                                                                                                      \
        va_start(rest, flags);                                                                                         \
        mode = mode_of(flags, rest);                                                                                   \
        va_end(rest);                                                                                                  \
        return look(AT_FDCWD, path, flags, mode);                                                                      \
    }
OPEN(open)
OPEN(open64)

int main(void) {
    int start[] = {16, 0, 0, 0, 0}, members = 0;
    __omp_collector_api(start);
#pragma omp parallel num_threads(3) reduction(+ : members)
    members += 1;
    printf("more rights: %lu, START %d, team %d, opened: %d\n", getauxval(AT_SECURE), start[2], members, opened > 0);
    return 0;
}
