/* Preloaded into ora: kills it at its KILLED_AT-th call that touches another process, before the call or after it.
   Calls count from 1; an odd number kills before the call, an even one after it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <unistd.h>

static long calls;

static void step(void)
{
    const char *wanted = getenv("KILLED_AT");
    if (wanted && ++calls == atol(wanted))
        kill(getpid(), SIGKILL);
}

long ptrace(enum __ptrace_request request, ...)
{
    static long (*next)(int, pid_t, void *, void *);
    va_list rest;
    va_start(rest, request);
    pid_t pid = va_arg(rest, pid_t);
    void *address = va_arg(rest, void *), *data = va_arg(rest, void *);
    va_end(rest);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ptrace");
    step();
    long answer = next(request, pid, address, data);
    step();
    return answer;
}

/* What ora writes into the process. */
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset)
{
    static ssize_t (*next)(int, const void *, size_t, off64_t);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pwrite64");
    step();
    ssize_t answer = next(file, bytes, count, offset);
    step();
    return answer;
}
