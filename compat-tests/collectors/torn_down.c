/* A collector whose data no longer exist once its destructor has run; callbacks after that end the process with 99. One callback on each
 * thread is allowed: it may have been in progress when the session ended. */
#include "trace.h"
#include "white_paper.h"

#include <stdio.h>
#include <unistd.h>

static int gone, heard;
static __thread int late;

static void on_event(int event) {
    (void)event;
    if (__atomic_load_n(&gone, __ATOMIC_SEQ_CST) && late++) _exit(99);
    __atomic_fetch_add(&heard, 1, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void attach(void) {
    int start[] = {16, REQ_START, 0, 0, 0};
    collector_api api = find_collector_api();
    event_callback callback = on_event;
    int event;
    if (!api) return;
    api(start);
    for (event = 1; event <= 35; event++) {
        int wish[] = {28, REQ_REGISTER, 0, 0, event, 0, 0, 0};
        memcpy(&wish[5], &callback, sizeof callback);
        api(wish);
    }
}

__attribute__((destructor)) static void tear_down(void) {
    __atomic_store_n(&gone, 1, __ATOMIC_SEQ_CST);
    usleep(50000);
    fprintf(stderr, "torn down after %d\n", heard);
}
