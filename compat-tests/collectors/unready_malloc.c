/* An allocator that isn't ready while libraries are being loaded: from its constructor to the program's start it ends the process if
 * memory is requested. To be preloaded after the library under test, whose constructor then runs between the two. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static int armed;

__attribute__((constructor)) static void begin(void) { armed = 1; }

static void check(const char *name) {
    if (!armed) return;
    if (write(STDERR_FILENO, name, strlen(name)) > 0) abort();
    abort();
}

void *malloc(size_t size) {
    check("malloc in a constructor\n");
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    check("calloc in a constructor\n");
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    check("realloc in a constructor\n");
    return __libc_realloc(old, size);
}

/* Runs when all libraries have been loaded. */
int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, int (*init)(int, char **, char **),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    int (*next)(int (*)(int, char **, char **), int, char **, int (*)(int, char **, char **), void (*)(void),
                void (*)(void), void *);
    armed = 0;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    return next(program, argc, argv, init, fini, rtld_fini, stack_end);
}
