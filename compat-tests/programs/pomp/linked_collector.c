/* A collector that is linked into its program, where there is no dynamic linker to look anything up: it calls the interface by name. At
 * the end it writes how often each event was raised. */
#include "omp_collector_api.h"

#include <stdio.h>
#include <string.h>

enum { EVENTS = 36, HEAD = 16 };

static int counts[EVENTS], answers[EVENTS];

static void on_event(int event) { __atomic_add_fetch(&counts[event % EVENTS], 1, __ATOMIC_RELAXED); }

static int ask(int request, int event) {
    struct {
        int size, request, error, reply, event;
        void (*callback)(int);
        int end;
    } entry = {0, 0, 0, 0, 0, 0, 0};
    entry.size = request == OMP_REQ_REGISTER ? HEAD + 16 : HEAD;
    entry.request = request;
    entry.event = event;
    entry.callback = on_event;
    if (request != OMP_REQ_REGISTER) entry.event = 0;
    __omp_collector_api(&entry);
    return entry.error;
}

__attribute__((constructor)) static void begin(void) {
    int event;
    ask(OMP_REQ_START, 0);
    for (event = 1; event < EVENTS; event++) answers[event] = ask(OMP_REQ_REGISTER, event);
}

__attribute__((destructor)) static void end(void) {
    int event;
    for (event = 1; event < EVENTS; event++) fprintf(stderr, "event %d: %d, answer %d\n", event, counts[event], answers[event]);
}
