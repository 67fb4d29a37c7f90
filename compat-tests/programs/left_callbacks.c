/* A program that is its own collector, and whose callbacks do not return: `left_callbacks KIND`. Prints nothing when all
 * is well. */
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

#include "session.h"

/* One more function call than the pragma, so that its frame ends before the jump's target. */
__attribute__((noinline)) static void barrier_by_hand(void) {
#pragma omp barrier
}

static jmp_buf out;
static int jump_at, jump_thread;

static void forget(void) {
    int event;
    for (event = EVENT_FORK; event <= EVENT_END_ATWT; event++) taken(event);
}

static void jump(int event) {
    count(event);
    if (event != jump_at || omp_get_thread_num() != jump_thread) return;
    jump_at = 0;
    longjmp(out, 1);
}

/* A callback may leave by longjmp: the call that led to it then never happened. */
static void jumps(void) {
    CHECK(request(REQ_START), EC_OK);
    CHECK(wish(EVENT_FORK, jump), EC_OK);
    CHECK(wish(EVENT_JOIN, jump), EC_OK);
    CHECK(wish(EVENT_BEGIN_EBAR, jump), EC_OK);
    CHECK(wish(EVENT_END_EBAR, jump), EC_OK);
    region();
    heard(1);
    jump_at = EVENT_FORK;
    if (setjmp(out) == 0) {
        region();
        CHECK(0, 1);
    }
    CHECK(taken(EVENT_FORK), 1);
    CHECK(taken(EVENT_JOIN), 0);
    /* At the next region at the latest, the lost one is discarded, with or without a JOIN. */
    region();
    CHECK(taken(EVENT_FORK), 1);
    forget();
    region();
    heard(1);
    CHECK(state(), STATE_SERIAL);
    CHECK(region_id(NULL), 0);
    jump_at = EVENT_BEGIN_EBAR;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0 && setjmp(out) == 0) {
            barrier_by_hand();
            CHECK(0, 1);
        } else {
            barrier_by_hand();
        }
        CHECK(state(), STATE_WORK);
    }
    CHECK(taken(EVENT_BEGIN_EBAR), 3);
    CHECK(taken(EVENT_FORK), 1);
    CHECK(taken(EVENT_JOIN), 1);
    /* It is unknown whether the barrier that was left in its callback has an end event. */
    forget();
    CHECK(state(), STATE_SERIAL);
    region();
    heard(1);
}

static __thread int stays_here;

static void leave(int event) {
    count(event);
    if (!stays_here) pthread_exit((void *)3);
}

static void *regions_until_thrown_out(void *unused) {
    region();
    return unused;
}

/* A callback may end its thread. */
static void exits(void) {
    pthread_t thread;
    void *result;
    int i;
    stays_here = 1;
    CHECK(request(REQ_START), EC_OK);
    CHECK(wish(EVENT_FORK, leave), EC_OK);
    CHECK(wish(EVENT_JOIN, count), EC_OK);
    for (i = 0; i < 5; i++) {
        pthread_create(&thread, NULL, regions_until_thrown_out, NULL);
        pthread_join(thread, &result);
        CHECK((long)result, 3);
    }
    CHECK(taken(EVENT_FORK), 5);
    CHECK(taken(EVENT_JOIN), 0);
    region();
    CHECK(taken(EVENT_FORK), 1);
    CHECK(taken(EVENT_JOIN), 1);
    CHECK(state(), STATE_SERIAL);
}

int main(int argc, char **argv) {
    api = find_collector_api();
    if (!api || argc != 2) return 2;
    if (strcmp(argv[1], "jumps") == 0) jumps();
    else if (strcmp(argv[1], "exits") == 0) exits();
    else return 2;
    return failures != 0;
}
