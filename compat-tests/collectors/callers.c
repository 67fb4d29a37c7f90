/* Counts parallel regions by the object whose code started them, which is the first one on the stack beyond the library. Writes lines
 * `COUNT PATH` to the file that ORA_TEST_CALLERS names. */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"
#include "white_paper.h"

enum { MOST = 64, DEEP = 16 };

static struct {
    void *base;
    long count;
} callers[MOST];
static void *library;

static void on_fork(int event) {
    void *frames[DEEP];
    const int count = backtrace(frames, DEEP);
    int i, in_library = 0;
    (void)event;
    for (i = 0; i < count; i++) {
        Dl_info info;
        if (!dladdr(frames[i], &info)) continue;
        if (info.dli_fbase == library) {
            in_library = 1;
        } else if (in_library) {
            int place;
            for (place = 0; place < MOST; place++) {
                void *base = NULL;
                if (__atomic_compare_exchange_n(&callers[place].base, &base, info.dli_fbase, 0, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE) ||
                    base == info.dli_fbase) {
                    __atomic_add_fetch(&callers[place].count, 1, __ATOMIC_RELAXED);
                    return;
                }
            }
        }
    }
}

__attribute__((constructor)) static void attach(void) {
    int start[] = {16, REQ_START, 0, 0, 0};
    struct {
        int sz, r, ec, rsz, event;
        void (*callback)(int);
        int end;
    } fork_event = {32, REQ_REGISTER, 0, 0, EVENT_FORK, on_fork, 0};
    collector_api api = find_collector_api();
    void *frames[DEEP];
    Dl_info info;
    void *code;
    if (!api) return;
    memcpy(&code, &api, sizeof code);
    if (!dladdr(code, &info)) abort();
    library = info.dli_fbase;
    /* The first call loads the unwinder. */
    backtrace(frames, DEEP);
    if (api(start) != 0 || api(&fork_event) != 0 || start[2] != 0 || fork_event.ec != 0) abort();
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("ORA_TEST_CALLERS");
    /* A child of the program may end after it, and must not truncate the file. */
    FILE *file = path ? fopen(path, "a") : NULL;
    int place;
    if (!file) return;
    for (place = 0; place < MOST && callers[place].base; place++) {
        Dl_info info;
        if (!dladdr(callers[place].base, &info)) abort();
        fprintf(file, "%ld %s\n", callers[place].count, info.dli_fname);
    }
    if (fclose(file) != 0) abort();
}
