/* A tool that closes its own library in a callback, once `closing_handle` is set, and never unregisters anything: for the Collector API
 * (with COLLECTOR), or for OpenMP 5. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

extern void *closing_handle;
extern int closing_heard;
void *closing_handle;
int closing_heard;

static void heard(void) {
    void *handle = __atomic_exchange_n(&closing_handle, NULL, __ATOMIC_RELAXED);
    __atomic_fetch_add(&closing_heard, 1, __ATOMIC_RELAXED);
    /* More often than anybody can have opened it. */
    if (handle)
        for (int i = 0; i < 9; i++)
            if (dlclose(handle) != 0) break;
}

#ifdef COLLECTOR
#include "white_paper.h"

static void on_event(int event) {
    (void)event;
    heard();
}

__attribute__((constructor)) static void attach(void) {
    int start[] = {16, REQ_START, 0, 0, 0};
    collector_api api = find_collector_api();
    event_callback callback = on_event;
    int event;
    if (!api) abort();
    api(start);
    for (event = EVENT_FORK; event <= EVENT_JOIN; event++) {
        int wish[] = {28, REQ_REGISTER, 0, 0, event, 0, 0, 0};
        memcpy(&wish[5], &callback, sizeof callback);
        api(wish);
    }
}
#else
#include <omp-tools.h>

static void on_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code) {
    (void)region, (void)task, (void)flags, (void)code;
    heard();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    set(ompt_callback_parallel_end, (ompt_callback_t)on_end);
    return 1;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, NULL, {0}};
    (void)version, (void)runtime;
    return &result;
}
#endif
