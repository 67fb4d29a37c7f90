/* Preloaded into ora: before ora traces a thread for the first time, sends SIGUSR1 to the process HELD, and waits until one of the
   threads of that process has ended. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

/* True once a thread is a zombie: the state follows the name, which has no parentheses. */
static int has_ended(const char *process)
{
    char path[128], text[256];
    int found = 0;
    snprintf(path, sizeof path, "/proc/%s/task", process);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/stat", process, entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(text, sizeof text, file))
            found |= strstr(text, ") Z ") != NULL;
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
    return found;
}

long ptrace(enum __ptrace_request request, ...)
{
    static long (*next)(int, pid_t, void *, void *);
    const char *process = getenv("HELD");
    va_list rest;
    va_start(rest, request);
    pid_t pid = va_arg(rest, pid_t);
    void *address = va_arg(rest, void *), *data = va_arg(rest, void *);
    va_end(rest);
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "ptrace");
        if (process && kill(atoi(process), SIGUSR1) == 0)
            while (!has_ended(process))
                usleep(1000);
    }
    return next(request, pid, address, data);
}
