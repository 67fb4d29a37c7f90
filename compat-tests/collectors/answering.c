/* Answers in callbacks (docs/reference/thread-words.md) as ORA_TEST_ANSWER says, and prints at the end how many events it got, and what
 * the library has counted instead of others. It answers at the start of creations or, if ORA_TEST_EXECUTIONS is set, which leaves
 * creations out, at the start of waits. */
#include "white_paper.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CREATE = 23, AT_ONCE = 24, DEFERRED = 25, WAIT = 28, BEGIN = 33, END = 35, BARRIER = 5, EVENTS = 36 };
enum { STAMPS = 8 | 16 };

static unsigned long answer, events[EVENTS], counted[2], stamped, wrong;
static int asks = CREATE;
static volatile uint64_t *(*thread_words)(void), *(*callback_words)(void);
static __thread uint64_t seen[2];
static __thread int has_seen;

/* Adds what the library has counted on this thread since the last event. */
static void count(void) {
    volatile uint64_t *words = thread_words();
    int i;
    for (i = 0; i < 2; i++) {
        if (has_seen) __atomic_fetch_add(&counted[i], words[2 + i] - seen[i], __ATOMIC_RELAXED);
        seen[i] = words[2 + i];
    }
    has_seen = 1;
}

static void on_event(int event) {
    volatile uint64_t *words = callback_words();
    __atomic_fetch_add(&events[event], 1, __ATOMIC_RELAXED);
    count();
    if (event == asks) {
        words[0] = answer;
        words[2] = 0;
    } else if (event == DEFERRED) {
        /* The call that queued the task is stamped as well. */
        words[2] = 0;
    } else if (event == END && answer & STAMPS && words[2]) {
        /* No undeferred task contains another task. */
        __atomic_fetch_add(&stamped, 1, __ATOMIC_RELAXED);
        if (words[2] > words[3] || words[3] > words[4] || words[4] > words[5])
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
        words[2] = 0;
    }
}

__attribute__((constructor)) static void attach(void) {
    static const int all[] = {BARRIER, CREATE, AT_ONCE, DEFERRED, WAIT, WAIT + 1, BEGIN, END};
    int start[] = {16, REQ_START, 0, 0, 0};
    collector_api api = find_collector_api();
    event_callback callback = on_event;
    const char *wish = getenv("ORA_TEST_ANSWER");
    void *found[2] = {dlsym(RTLD_DEFAULT, "ora_thread_words"), dlsym(RTLD_DEFAULT, "ora_callback_words")};
    unsigned i;
    if (!api || !found[0] || !found[1]) return;
    memcpy(&thread_words, &found[0], sizeof found[0]);
    memcpy(&callback_words, &found[1], sizeof found[1]);
    answer = wish ? strtoul(wish, NULL, 10) : 0;
    api(start);
    if (getenv("ORA_TEST_EXECUTIONS")) asks = WAIT;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (asks == WAIT && all[i] >= CREATE && all[i] <= DEFERRED) continue;
        int request[] = {28, REQ_REGISTER, 0, 0, all[i], 0, 0, 0};
        memcpy(&request[5], &callback, sizeof callback);
        api(request);
    }
}

__attribute__((destructor)) static void tell(void) {
    printf("created %lu, at once %lu, deferred %lu, begun %lu, ended %lu, waits %lu to %lu; ", events[CREATE],
           events[AT_ONCE], events[DEFERRED], events[BEGIN], events[END], events[WAIT], events[WAIT + 1]);
    printf("counted %lu tasks, %lu waits; stamped %lu, wrong %lu\n", counted[0], counted[1], stamped, wrong);
}
