/* The collector among the three tools: every event. With SIDE_STORM=ora a thread starts, stops, pauses, resumes and registers at
 * random. */
#include "heard.h"
#include "judge.h"
#include "white_paper.h"

#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 35, ON_ITS_WAY = 60 };

static collector_api api;

static int request(int which) {
    int list[] = {16, 0, -1, -1, 0};
    list[1] = which;
    return api(list) == 0 ? list[2] : -1;
}

static int wish(int event, event_callback callback) {
    int list[] = {28, REQ_REGISTER, -1, -1, 0, 0, 0, 0};
    list[4] = event;
    memcpy(&list[5], &callback, sizeof callback);
    return api(list) == 0 ? list[2] : -1;
}

static int state_of(int state) {
    static const int sets[] = {[STATE_OVHD] = OVERHEAD,          [STATE_WORK] = PARALLEL,
                               [STATE_IBAR] = BARRIER_IMPLICIT,  [STATE_EBAR] = BARRIER_EXPLICIT,
                               [STATE_IDLE] = IDLE,              [STATE_SERIAL] = SERIAL,
                               [STATE_REDUC] = OVERHEAD,         [STATE_LKWT] = LOCK | NEST_LOCK,
                               [STATE_CTWT] = CRITICAL,          [STATE_ODWT] = ORDERED,
                               [STATE_ATWT] = ATOMIC};
    /* States of the extension for tasks: a wait for tasks, and states that are overhead for the other interfaces. */
    if (state > STATE_ATWT) return TASKWAIT | TASKGROUP | OVERHEAD;
    return state > 0 && sets[state] ? sets[state] : ANY;
}

static int look_around(struct view *view) {
    int list[] = {24, REQ_CURRENT_PRID, -1, -1, 0, 0, 24, REQ_PARENT_PRID, -1, -1, 0, 0,
                  24, REQ_TASK_ID,      -1, -1, 0, 0, 28, REQ_STATE,       -1, -1, 0, 0, 0, 0};
    if (api(list) != 0 || list[2] != EC_OK) return 0;
    memcpy(&view->region[0], &list[4], 8);
    /* Only a region's primary thread gets the enclosing region. */
    if (list[8] == EC_OK) memcpy(&view->region[1], &list[10], 8);
    if (list[14] == EC_OK) memcpy(&view->task[0], &list[16], 8);
    view->state = list[20] == EC_OK ? state_of(list[22]) : ANY;
    return 1;
}

static void on_event(int event) {
    char where[32];
    heard(event);
    snprintf(where, sizeof where, "ORA event %d", event);
    if (event == EVENT_FORK || event == EVENT_JOIN)
        judge_region(where, UNKNOWN, UNKNOWN);
    else if (event != EVENT_BEGIN_IDLE && event != EVENT_END_IDLE)
        judge_event(where, UNKNOWN, UNKNOWN);
}

static void wish_all(void) {
    int event;
    for (event = 1; event <= EVENTS; event++) wish(event, on_event);
}

static void *storm(void *unused) {
    uint32_t chance = judge_seed(1);
    for (;;) {
        switch (judge_random(&chance) % 8) {
            case 0: request(REQ_PAUSE); break;
            case 1: request(REQ_RESUME); break;
            case 2: request(REQ_STOP); break;
            case 3: wish((int)(judge_random(&chance) % EVENTS) + 1, NULL); break;
            default: request(REQ_START); wish_all();
        }
        heard(ON_ITS_WAY);
        judge_pause(&chance);
    }
    return unused;
}

__attribute__((constructor)) static void attach(void) {
    heard_open("ora");
    api = find_collector_api();
    if (!api || request(REQ_START) != EC_OK) judge_complain("START", "refused", 0, 0);
    if (!api) return;
    wish_all();
    judge_lend(OF_ORA, look_around);
    if (judge_storms("ora")) judge_start(storm);
}
