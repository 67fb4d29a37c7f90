/* Registers for every event; the callbacks only change errno, which must not be visible to the program. */
#include "trace.h"
#include "white_paper.h"

#include <errno.h>

static void on_event(int event) {
    struct trace_record record;
    memset(&record, 0, sizeof record);
    record.event = event;
    trace_add(&record);
    errno = 1000 + event;
}

__attribute__((constructor)) static void attach(void) {
    int start[] = {16, REQ_START, 0, 0, 0};
    collector_api api = find_collector_api();
    event_callback callback = on_event;
    int event;
    trace_open("armed");
    if (!api) return;
    api(start);
    trace_answer(0, start[2]);
    for (event = 1; event <= 35; event++) {
        int wish[] = {28, REQ_REGISTER, 0, 0, event, 0, 0, 0};
        memcpy(&wish[5], &callback, sizeof callback);
        api(wish);
    }
}
