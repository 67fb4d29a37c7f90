/* Not a collector: refuses all memory that the library under test requests from the system, starting with the first or the
 * STARVE_AFTER-th request. Nobody else is affected. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int asked;

static int from_the_library(const void *caller) {
    Dl_info info;
    const char *name;
    if (!dladdr(caller, &info) || !info.dli_fname) return 0;
    name = strrchr(info.dli_fname, '/');
    return strcmp(name ? name + 1 : info.dli_fname, "libora.so") == 0;
}

static void *map(const void *caller, void *at, size_t size, int protection, int flags, int file, long offset) {
    if (from_the_library(caller)) {
        const char *after = getenv("STARVE_AFTER");
        if (__atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) > (after ? atoi(after) : 0)) {
            errno = ENOMEM;
            return MAP_FAILED;
        }
    }
    return (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    return map(__builtin_return_address(0), at, size, protection, flags, file, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset) {
    return map(__builtin_return_address(0), at, size, protection, flags, file, offset);
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("STARVE_TELL");
    if (path && asked > 0) {
        const int file = (int)syscall(SYS_openat, -100, path, 0101, 0600);
        if (file >= 0) close(file);
    }
}
