/* A tool in C++ that keeps a thread_local object with a destructor for each worker, and detects callbacks after its destruction: for the
 * Collector API (FACE=1), TR2 (2), or OpenMP 5 (3). When the process ends, it writes how many workers have started and ended, and how
 * many callbacks came too late. */
#include <stdio.h>
#include <stdlib.h>

static int begun, ended, late;

/* Has no destructor itself, so that it may be read at any time. */
static thread_local bool destroyed;

namespace {
struct Life {
    int uses = 0;
    ~Life() { destroyed = true; }
};
thread_local Life life;
}  // namespace

static void add(int &count) { __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED); }

static void use() {
    if (destroyed)
        add(late);
    else
        life.uses++;
}

static void say() { fprintf(stderr, "begun %d ended %d late %d\n", begun, ended, late); }

#if FACE == 1
#include "white_paper.h"

/* A worker leaves the pool, and the last barrier of a region, which it reports when it wakes or ends. */
static void on_event(int event) {
    if (event == EVENT_BEGIN_IDLE) add(begun);
    if (event == EVENT_END_IBAR) add(ended);
    use();
}

__attribute__((constructor)) static void attach() {
    int start[] = {16, REQ_START, 0, 0, 0};
    collector_api api = find_collector_api();
    event_callback callback = on_event;
    if (!api) abort();
    api(start);
    const int events[] = {EVENT_BEGIN_IDLE, EVENT_BEGIN_IBAR, EVENT_END_IBAR};
    for (int event : events) {
        int wish[] = {28, REQ_REGISTER, 0, 0, event, 0, 0, 0};
        memcpy(&wish[5], &callback, sizeof callback);
        api(wish);
    }
}

__attribute__((destructor)) static void detach() { say(); }
#elif FACE == 2
#include <ompt_tr2.h>

static void on_begin(ompt_thread_type_t kind, ompt_thread_id_t) {
    if (kind == ompt_thread_worker) add(begun), use();
}

static void on_end(ompt_thread_type_t kind, ompt_thread_id_t) {
    if (kind == ompt_thread_worker) add(ended), use();
}

extern "C" int ompt_initialize(ompt_function_lookup_t lookup, const char *, unsigned int) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_event_thread_begin, (ompt_callback_t)on_begin);
    set(ompt_event_thread_end, (ompt_callback_t)on_end);
    set(ompt_event_runtime_shutdown, (ompt_callback_t)say);
    return 1;
}
#else
#include <omp-tools.h>

static void on_begin(ompt_thread_t kind, ompt_data_t *thread) {
    thread->value = kind;
    if (kind == ompt_thread_worker) add(begun), use();
}

static void on_end(ompt_data_t *thread) {
    if (thread->value == ompt_thread_worker) add(ended), use();
}

static int initialize(ompt_function_lookup_t lookup, int, ompt_data_t *) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_thread_begin, (ompt_callback_t)on_begin);
    set(ompt_callback_thread_end, (ompt_callback_t)on_end);
    return 1;
}

extern "C" ompt_start_tool_result_t *ompt_start_tool(unsigned int, const char *) {
    static ompt_start_tool_result_t result = {initialize, [](ompt_data_t *) { say(); }, {0}};
    return &result;
}
#endif
