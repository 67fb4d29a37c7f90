/* A collector that probes: an empty list first, then STOP before START in one list, then a call for each REGISTER, whose answers are
 * kept. It makes a separate call for each query. */
#include "trace.h"
#include "white_paper.h"

#include <stdint.h>

/* The first three words of memory are the pointer's two words in the packed layout and the word before it. */
struct message {
    int sz, r, ec, rsz;
    int mem[4];
};

static collector_api api;

static int ask(int request, int room, struct message *message) {
    /* If there is little space, the end of the list is in the message's own memory. */
    char list[sizeof *message + 4];
    int end = 0;
    message->sz = 16 + room;
    message->r = request;
    message->ec = message->rsz = 77;
    memcpy(list, message, sizeof *message);
    memcpy(list + message->sz, &end, sizeof end);
    if (api(list) != 0) trace_complain("a good list was refused");
    memcpy(message, list, sizeof *message);
    return message->ec;
}

static void on_event(int event) {
    struct message state, prid, parent, task, creator;
    struct trace_record record;
    memset(&record, 0, sizeof record);
    record.event = event;
    record.state_ec = ask(REQ_STATE, 12, &state);
    record.prid_ec = ask(REQ_CURRENT_PRID, 8, &prid);
    record.parent_ec = ask(REQ_PARENT_PRID, 8, &parent);
    ask(REQ_TASK_ID, 8, &task);
    ask(REQ_TASK_PID, 8, &creator);
    record.state = state.mem[0];
    if (state.rsz == 12) memcpy(&record.wait, &state.mem[1], sizeof record.wait);
    memcpy(&record.prid, prid.mem, sizeof record.prid);
    memcpy(&record.task, task.mem, sizeof record.task);
    memcpy(&record.creator, creator.mem, sizeof record.creator);
    if (parent.ec == EC_OK) memcpy(&record.parent, parent.mem, sizeof record.parent);
    trace_add(&record);
}

static void on_sample(void) {
    struct message state, prid, again;
    struct trace_record record;
    memset(&record, 0, sizeof record);
    record.prid_ec = ask(REQ_CURRENT_PRID, 8, &prid);
    record.state_ec = ask(REQ_STATE, 12, &state);
    record.parent_ec = ask(REQ_CURRENT_PRID, 8, &again);
    record.state = state.mem[0];
    if (state.rsz == 12) memcpy(&record.wait, &state.mem[1], sizeof record.wait);
    memcpy(&record.prid, prid.mem, sizeof record.prid);
    memcpy(&record.parent, again.mem, sizeof record.parent);
    trace_add(&record);
}

__attribute__((constructor)) static void attach(void) {
    int empty = 0, event;
    int stop_start[] = {16, REQ_STOP, 77, 77, 16, REQ_START, 77, 77, 0};
    event_callback callback = on_event;
    trace_open("probing");
    api = find_collector_api();
    if (!api) return;
    if (api(&empty) != 0) trace_complain("an empty list was refused");
    if (api(stop_start) != 0 || stop_start[2] != EC_SEQUENCE_ERR || stop_start[3] != 0 || stop_start[6] != EC_OK ||
        stop_start[7] != 0)
        trace_complain("STOP before START was answered otherwise than SEQUENCE_ERR, OK");
    for (event = 1; trace_wants_events() && event <= 35; event++) {
        struct message wish;
        memset(&wish, 0, sizeof wish);
        wish.mem[0] = event;
        memcpy(&wish.mem[1], &callback, sizeof callback);
        trace_answer(event, ask(REQ_REGISTER, 12, &wish));
    }
    sampler_start(on_sample);
}
