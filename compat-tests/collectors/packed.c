/* A collector that packs: every entry is exactly as long as its content, so that entries start 28 bytes apart and 8-byte values may be
 * misaligned. It registers for 35 events in one call, no matter what the answers are, and ignores error codes; its signal handler
 * queries the state with space for the state alone. */
#include "trace.h"
#include "white_paper.h"

#include <stdint.h>

enum { HEAD = 16, REGISTER_SIZE = HEAD + 12, STATE_SIZE = HEAD + 12, PRID_SIZE = HEAD + 8, SHORT_SIZE = HEAD + 4 };
enum { EVENTS = 35 };

static collector_api api;

static void put(char *at, int value) { memcpy(at, &value, sizeof value); }

static int get(const char *at) {
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t get_long(const char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Writes an entry's head over the previous content of the buffer; returns the position of the next entry. */
static char *entry(char *at, int size, int request) {
    put(at, size);
    put(at + 4, request);
    return at + size;
}

static void on_event(int event) {
    /* Never cleared: servers get reused buffers as well. */
    char buffer[STATE_SIZE + 4 * PRID_SIZE + SHORT_SIZE + 4];
    char *prid = entry(buffer, STATE_SIZE, REQ_STATE);
    char *parent = entry(prid, PRID_SIZE, REQ_CURRENT_PRID);
    char *task = entry(parent, PRID_SIZE, REQ_PARENT_PRID);
    struct trace_record record;
    /* Request 4 with space for 4 bytes, which the main client of that time uses as a task query. */
    char *id = entry(task, SHORT_SIZE, REQ_CURRENT_PRID);
    char *creator = entry(id, PRID_SIZE, REQ_TASK_ID);
    put(entry(creator, PRID_SIZE, REQ_TASK_PID), 0);
    put(task + HEAD, 0x5a5a5a5a);
    api(buffer);
    if (get(task + HEAD) != 0x5a5a5a5a) trace_complain("a query without room has written to its memory");
    record.event = event;
    record.state = get(buffer + HEAD);
    record.state_ec = get(buffer + 8);
    record.wait = get_long(buffer + HEAD + 4);
    record.prid = get_long(prid + HEAD);
    record.prid_ec = get(prid + 8);
    record.parent = get_long(parent + HEAD);
    record.parent_ec = get(parent + 8);
    record.task = get_long(id + HEAD);
    record.creator = get_long(creator + HEAD);
    if (get(buffer + 12) < 12) record.wait = 0;
    trace_add(&record);
}

static void on_sample(void) {
    char buffer[2 * PRID_SIZE + SHORT_SIZE + 4];
    char *state = entry(buffer, PRID_SIZE, REQ_CURRENT_PRID);
    char *again = entry(state, SHORT_SIZE, REQ_STATE);
    struct trace_record record;
    put(entry(again, PRID_SIZE, REQ_CURRENT_PRID), 0);
    put(state + HEAD, 0);
    api(buffer);
    memset(&record, 0, sizeof record);
    record.state = get(state + HEAD);
    record.state_ec = get(state + 8);
    record.prid = get_long(buffer + HEAD);
    record.prid_ec = get(buffer + 8);
    record.parent = get_long(again + HEAD);
    record.parent_ec = get(again + 8);
    trace_add(&record);
}

__attribute__((constructor)) static void attach(void) {
    char batch[EVENTS * REGISTER_SIZE + 4], start[HEAD + 4];
    char *at = batch;
    event_callback callback = on_event;
    int event;
    trace_open("packed");
    api = find_collector_api();
    if (!api) return;
    memset(start, 0, sizeof start);
    put(entry(start, HEAD, REQ_START), 0);
    api(start);
    for (event = 1; trace_wants_events() && event <= EVENTS; event++) {
        put(at + HEAD, event);
        memcpy(at + HEAD + 4, &callback, sizeof callback);
        at = entry(at, REGISTER_SIZE, REQ_REGISTER);
    }
    put(at, 0);
    api(batch);
    sampler_start(on_sample);
}
