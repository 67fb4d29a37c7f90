/* A collector that writes structs as a C compiler lays them out: pointers and 64-bit values at multiples of 8, and 16 bytes of memory in
 * a REGISTER or STATE. It checks every answer. */
#include "trace.h"
#include "white_paper.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct head {
    int sz, r, ec, rsz;
};

struct registration {
    struct head head;
    int event;
    event_callback callback;
};

struct state_query {
    struct head head;
    int state;
    void *wait_id;
};

struct prid_query {
    struct head head;
    uint64_t id;
};

static collector_api api;

static struct head head(size_t size, int request) {
    struct head h;
    h.sz = (int)size;
    h.r = request;
    h.ec = h.rsz = -1;
    return h;
}

/* Memory that is written but not queried keeps this value. */
static const uint64_t untouched = 0x5a5a5a5a5a5a5a5aull;

static void on_event(int event) {
    struct {
        struct state_query state;
        struct prid_query prid, parent, task, creator;
        int end;
    } ask;
    struct trace_record record;
    memset(&ask, 0x5a, sizeof ask);
    ask.state.head = head(sizeof ask.state, REQ_STATE);
    ask.prid.head = head(sizeof ask.prid, REQ_CURRENT_PRID);
    ask.parent.head = head(sizeof ask.parent, REQ_PARENT_PRID);
    ask.task.head = head(sizeof ask.task, REQ_TASK_ID);
    ask.creator.head = head(sizeof ask.creator, REQ_TASK_PID);
    ask.end = 0;
    if (api(&ask) != 0) trace_complain("a good list was refused");
    record.event = event;
    record.state = ask.state.state;
    record.state_ec = ask.state.head.ec;
    record.wait = ask.state.head.rsz == sizeof ask.state - sizeof(struct head) ? (uint64_t)ask.state.wait_id : 0;
    if (ask.state.head.rsz == 4 && (uint64_t)ask.state.wait_id != untouched)
        trace_complain("a state without wait id has written one");
    record.prid = ask.prid.id;
    record.prid_ec = ask.prid.head.ec;
    record.parent = ask.parent.head.ec == EC_OK ? ask.parent.id : 0;
    record.parent_ec = ask.parent.head.ec;
    record.task = ask.task.id;
    record.creator = ask.creator.id;
    if (ask.parent.head.ec != EC_OK && (ask.parent.head.rsz != 0 || ask.parent.id != untouched))
        trace_complain("a PARENT_PRID that failed has left a result");
    trace_add(&record);
}

static void on_sample(void) {
    struct {
        struct prid_query prid;
        struct state_query state;
        struct prid_query again;
        int end;
    } ask;
    struct trace_record record;
    memset(&ask, 0, sizeof ask);
    ask.prid.head = head(sizeof ask.prid, REQ_CURRENT_PRID);
    ask.state.head = head(sizeof ask.state, REQ_STATE);
    ask.again.head = head(sizeof ask.again, REQ_CURRENT_PRID);
    api(&ask);
    memset(&record, 0, sizeof record);
    record.state = ask.state.state;
    record.state_ec = ask.state.head.ec;
    record.wait = ask.state.head.rsz == 16 ? (uint64_t)ask.state.wait_id : 0;
    record.prid = ask.prid.id;
    record.prid_ec = ask.prid.head.ec;
    record.parent = ask.again.id;
    record.parent_ec = ask.again.head.ec;
    trace_add(&record);
}

__attribute__((constructor)) static void attach(void) {
    struct {
        struct head start;
        int end;
    } start;
    int event;
    trace_open("padded");
    api = find_collector_api();
    if (!api) return;
    start.start = head(sizeof start.start, REQ_START);
    start.end = 0;
    if (api(&start) != 0 || start.start.ec != EC_OK) trace_complain("START was refused");
    for (event = 1; trace_wants_events() && event <= EVENT_LAST; event++) {
        struct {
            struct registration wish;
            int end;
        } list;
        memset(&list, 0x5a, sizeof list);
        list.wish.head = head(sizeof list.wish, REQ_REGISTER);
        list.wish.event = event;
        list.wish.callback = on_event;
        list.end = 0;
        if (api(&list) != 0 || list.wish.head.rsz != 0) trace_complain("a REGISTER went wrong");
        trace_answer(event, list.wish.head.ec);
    }
    sampler_start(on_sample);
}
