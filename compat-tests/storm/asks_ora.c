/* Collector of the storm: a session with every event, and its queries. */
#include "storm.h"

#include "omp_collector_api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int (*api)(void *);

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    storm_count(CALLBACKS);
}

int ora_start(void) {
    int start[] = {16, OMP_REQ_START, 0, 0, 0}, event;
    void *symbol = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    const char *quiet = getenv("STORM_EVENTS");
    memcpy(&api, &symbol, sizeof api);
    if (!api || api(start) != 0 || start[2] != OMP_ERRCODE_OK) return 0;
    for (event = OMP_EVENT_FORK; event <= OMP_EVENT_THR_END_FINISH_TASK && !quiet; event++) {
        OMP_COLLECTORAPI_CALLBACK callback = on_event;
        int entry[] = {28, OMP_REQ_REGISTER, 0, 0, event, 0, 0, 0};
        memcpy(entry + 5, &callback, sizeof callback);
        api(entry);
    }
    return 1;
}

/* Positions in an array of entries: 16 bytes of head, then space for two words. */
enum { SIZE = 0, REQUEST, CODE_AT, BYTES, MEMORY, ENTRY = 8 };

static int *entry(int *list, int index, int request) {
    int *at = list + index * ENTRY;
    at[SIZE] = ENTRY * (int)sizeof(int);
    at[REQUEST] = request;
    at[CODE_AT] = at[BYTES] = -1;
    return at;
}

static uint64_t word(const int *memory) {
    uint64_t value;
    memcpy(&value, memory, sizeof value);
    return value;
}

/* REGISTER was packed, so STATE is packed as well. */
static void state_of(const int *at, struct moment *moment) {
    moment->state = at[MEMORY];
    moment->has_wait = at[BYTES] > 4;
    moment->wait = moment->has_wait ? word(at + MEMORY + (at[BYTES] == 16 ? 2 : 1)) : 0;
}

static void region_and_task(struct ora_answers *all, struct moment *moment, const int *region, const int *task) {
    moment->region = word(region + MEMORY);
    moment->task = word(task + MEMORY);
    all->no_tasks |= task[CODE_AT] == OMP_ERRCODE_UNSUPPORTED;
    all->refused |= region[CODE_AT] != OMP_ERRCODE_OK || region[BYTES] != 8;
    all->refused |= !all->no_tasks && (task[CODE_AT] != OMP_ERRCODE_OK || task[BYTES] != 8);
    if (all->no_tasks) moment->task = 0;
}

static int set_of(int state) {
    switch (state) {
        case THR_OVHD_STATE:
        case THR_REDUC_STATE:
        case THR_TASK_CREATE_STATE:
        case THR_TASK_SCHEDULE_STATE:
        case THR_TASK_STEAL_STATE:
        case THR_TASK_FINISH_STATE: return OVERHEAD;
        case THR_WORK_STATE: return PARALLEL;
        case THR_IBAR_STATE: return IMPLICIT;
        case THR_EBAR_STATE: return EXPLICIT;
        case THR_IDLE_STATE: return IDLE;
        case THR_SERIAL_STATE: return SERIAL;
        case THR_LKWT_STATE: return LOCK;
        case THR_CTWT_STATE: return CRITICAL;
        case THR_ODWT_STATE: return ORDERED;
        case THR_ATWT_STATE: return ATOMIC;
        case THR_TASK_SUSPEND_STATE: return TASKS;
        default: return NOBODY;
    }
}

void ora_ask_before(struct ora_answers *all) {
    int list[5 * ENTRY + 1] = {0};
    const int *region = entry(list, 0, OMP_REQ_CURRENT_PRID), *task = entry(list, 1, OMP_REQ_TASK_ID);
    const int *state = entry(list, 2, OMP_REQ_STATE), *parent = entry(list, 3, OMP_REQ_PARENT_PRID);
    const int *creator = entry(list, 4, OMP_REQ_TASK_PID);
    all->walked = api(list) == 0;
    region_and_task(all, &all->first, region, task);
    state_of(state, &all->first);
    all->set = set_of(all->first.state);
    all->refused |= state[CODE_AT] != OMP_ERRCODE_OK;
    all->refused |= parent[CODE_AT] != OMP_ERRCODE_OK && parent[CODE_AT] != OMP_ERRCODE_THREAD_ERR;
    all->parent_told = parent[CODE_AT] == OMP_ERRCODE_OK;
    all->parent = all->parent_told ? word(parent + MEMORY) : 0;
    all->creator = all->no_tasks ? 0 : word(creator + MEMORY);
}

void ora_ask_after(struct ora_answers *all) {
    int list[3 * ENTRY + 1] = {0};
    const int *state = entry(list, 0, OMP_REQ_STATE);
    const int *region = entry(list, 1, OMP_REQ_CURRENT_PRID), *task = entry(list, 2, OMP_REQ_TASK_ID);
    all->walked &= api(list) == 0;
    region_and_task(all, &all->last, region, task);
    state_of(state, &all->last);
    all->refused |= state[CODE_AT] != OMP_ERRCODE_OK;
}
