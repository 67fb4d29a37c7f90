/* Not a collector: refuses memory, and calls of the C library or the kernel that need memory, to the library under test, but to nobody
 * else. REFUSE is a number and a kind: `7` refuses the seventh request, `7+` that one and all later ones, `7>` those for more than seven
 * bytes. Without it nothing is refused. REFUSE_IN names a library other than libora.so, REFUSE_TELL a file for the number of requests. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

static unsigned long asked, code_begin, code_end;

static int look(struct dl_phdr_info *info, size_t size, void *unused) {
    const char *name = strrchr(info->dlpi_name ? info->dlpi_name : "", '/'), *wanted = getenv("REFUSE_IN");
    int i;
    (void)size, (void)unused;
    if (!name || strcmp(name + 1, wanted ? wanted : "libora.so") != 0) return 0;
    for (i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        __atomic_store_n(&code_end, info->dlpi_addr + header->p_vaddr + header->p_memsz, __ATOMIC_RELAXED);
        __atomic_store_n(&code_begin, info->dlpi_addr + header->p_vaddr, __ATOMIC_RELEASE);
    }
    return 1;
}

/* True if this request is refused: it comes from the library, and its number is selected, or it is too large. */
static int refused(const void *caller, size_t size) {
    static __thread int looking __attribute__((tls_model("initial-exec")));
    static int setting = -1;
    static unsigned long first;
    static int all, large;
    unsigned long number, begin = __atomic_load_n(&code_begin, __ATOMIC_ACQUIRE), from = (unsigned long)caller;
    if (begin == 0) {
        if (looking) return 0;
        looking = 1;
        dl_iterate_phdr(look, NULL);
        looking = 0;
        begin = __atomic_load_n(&code_begin, __ATOMIC_ACQUIRE);
        if (begin == 0) return 0;
    }
    if (from < begin || from >= __atomic_load_n(&code_end, __ATOMIC_RELAXED)) return 0;
    if (setting < 0) {
        const char *said = getenv("REFUSE");
        first = said ? strtoul(said, NULL, 10) : 0;
        all = said && strchr(said, '+') != NULL;
        large = said && strchr(said, '>') != NULL;
        setting = 1;
    }
    number = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
    if (large) return size > first;
    return first != 0 && (number == first || (all && number > first));
}

#define REFUSED(size) refused(__builtin_return_address(0), size)
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void *none(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) { return REFUSED(size) ? none() : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return REFUSED(count * size) ? none() : __libc_calloc(count, size); }

void *realloc(void *old, size_t size) { return REFUSED(size) ? none() : __libc_realloc(old, size); }

int posix_memalign(void **place, size_t align, size_t size) {
    void *got = REFUSED(size) ? none() : __libc_memalign(align, size);
    if (!got) return ENOMEM;
    *place = got;
    return 0;
}

/* Like the C library's; some of our calls bypass its functions, to be signal-safe. */
static long call(long number, const long *a) {
#ifdef __aarch64__
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a[0], x1 __asm__("x1") = a[1], x2 __asm__("x2") = a[2];
    register long x3 __asm__("x3") = a[3], x4 __asm__("x4") = a[4], x5 __asm__("x5") = a[5];
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    const long answer = x0;
#else
    register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
    long answer = number;
    __asm__ volatile("syscall" : "+a"(answer) : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
#endif
    if (answer >= 0 || answer < -4095) return answer;
    errno = (int)-answer;
    return -1;
}

long syscall(long number, ...) {
    const int needs_memory = number == SYS_mmap || number == SYS_timer_create || number == SYS_perf_event_open;
    long arguments[6];
    va_list list;
    int i;
    va_start(list, number);
    for (i = 0; i < 6; i++) arguments[i] = va_arg(list, long);
    va_end(list);
    if (!needs_memory || !REFUSED(number == SYS_mmap ? (size_t)arguments[1] : 0)) return call(number, arguments);
    errno = ENOMEM;
    return -1;
}

static void *map(int no, void *at, size_t size, int protection, int flags, int file, long offset) {
    if (!no) return (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
    none();
    return MAP_FAILED;
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    return map(REFUSED(size), at, size, protection, flags, file, offset);
}

void *mremap(void *at, size_t size, size_t larger, int flags, ...) {
    if (REFUSED(larger)) {
        none();
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mremap, at, size, larger, flags, NULL);
}

void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset) {
    return map(REFUSED(size), at, size, protection, flags, file, offset);
}

int mprotect(void *at, size_t size, int protection) {
    if (!REFUSED(0)) return (int)syscall(SYS_mprotect, at, size, protection);
    none();
    return -1;
}

void *dlopen(const char *file, int mode) { return REFUSED(0) ? none() : NEXT(dlopen)(file, mode); }

int pthread_key_create(pthread_key_t *key, void (*end)(void *)) {
    return REFUSED(0) ? EAGAIN : NEXT(pthread_key_create)(key, end);
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    return REFUSED(0) ? ENOMEM : NEXT(pthread_setspecific)(key, value);
}

int __cxa_atexit(void (*function)(void *), void *argument, void *object);
int __cxa_atexit(void (*function)(void *), void *argument, void *object) {
    return REFUSED(0) ? -1 : NEXT(__cxa_atexit)(function, argument, object);
}

int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *object);
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *object) {
    return REFUSED(0) ? ENOMEM : NEXT(__register_atfork)(before, parent, child, object);
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("REFUSE_TELL");
    char text[24];
    const int length = snprintf(text, sizeof text, "%lu\n", asked);
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (file < 0) return;
    if (write(file, text, (size_t)length) != length) abort();
    close(file);
}
