/* A thread that opens a session, registers for everything, pauses, resumes and stops again, a thousand times a second, for as long as
 * the process lives. */
#include "trace.h"
#include "white_paper.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { EVENTS = 35 };

static collector_api api;

static void on_event(int event) {
    int list[] = {28, REQ_STATE, -1, -1, 0, 0, 0, 24, REQ_CURRENT_PRID, -1, -1, 0, 0, 0};
    struct trace_record record;
    if (api(list) != 0) abort();
    memset(&record, 0, sizeof record);
    record.event = event;
    record.state = list[4];
    record.state_ec = list[2];
    record.prid_ec = list[9];
    memcpy(&record.wait, &list[5], sizeof record.wait);
    memcpy(&record.prid, &list[11], sizeof record.prid);
    trace_add(&record);
    errno = 1000 + event;
}

static void on_sample(void) {
    int list[] = {24, REQ_CURRENT_PRID, -1, -1, 0, 0, 28, REQ_STATE, -1, -1, 0, 0, 0, 24, REQ_CURRENT_PRID, -1, -1, 0, 0, 0};
    struct trace_record record;
    if (api(list) != 0) abort();
    memset(&record, 0, sizeof record);
    record.prid_ec = list[2];
    memcpy(&record.prid, &list[4], sizeof record.prid);
    record.state_ec = list[8];
    record.state = list[10];
    record.parent_ec = list[15];
    memcpy(&record.parent, &list[17], sizeof record.parent);
    trace_add(&record);
}

static void *storm(void *unused) {
    const struct timespec pause = {0, 150000};
    static char list[EVENTS * 28 + 4];
    event_callback callback = on_event;
    int event;
    (void)unused;
    for (;;) {
        int simple[] = {16, REQ_PAUSE, 0, 0, 0};
        for (event = 1; event <= EVENTS; event++) {
            const int head[] = {28, REQ_REGISTER, 0, 0, event};
            char *at = list + 28 * (event - 1);
            memcpy(at, head, sizeof head);
            memcpy(at + sizeof head, &callback, sizeof callback);
        }
        api(list);
        nanosleep(&pause, NULL);
        api(simple);
        nanosleep(&pause, NULL);
        simple[1] = REQ_RESUME;
        api(simple);
        nanosleep(&pause, NULL);
        simple[1] = REQ_STOP;
        api(simple);
        nanosleep(&pause, NULL);
        simple[1] = REQ_START;
        api(simple);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

__attribute__((constructor)) static void attach(void) {
    int start[] = {16, REQ_START, 0, 0, 0};
    sigset_t all, before;
    pthread_t thread;
    trace_open("storm");
    api = find_collector_api();
    if (!api) return;
    /* The first session opens before the program does anything, so that every region is known. */
    api(start);
    trace_answer(0, start[2]);
    /* The program's signals are for the program's threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, storm, NULL) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sampler_start(on_sample);
}
