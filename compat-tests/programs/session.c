/* A program that is its own collector and checks what sessions may do: `session KIND`. Prints nothing if all is
 * well. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session.h"

static __thread int in_callback, stopped_here;

static void paused(void) {
    listen();
    region();
    heard(1);
    CHECK(request(REQ_PAUSE), EC_OK);
    region();
    heard(0);
    CHECK(request(REQ_PAUSE), EC_OK);
    CHECK(request(REQ_RESUME), EC_OK);
    region();
    region();
    heard(2);
}

static void stopped(void) {
    listen();
    region();
    heard(1);
    CHECK(request(REQ_STOP), EC_OK);
    region();
    heard(0);
    CHECK(request(REQ_START), EC_OK);
    region();
    heard(0);
    CHECK(request(REQ_STOP), EC_OK);
    listen();
    CHECK(request(REQ_PAUSE), EC_OK);
    CHECK(request(REQ_STOP), EC_OK);
    listen();
    region();
    heard(1);
}

static void unregistered(void) {
    listen();
    CHECK(unwish(EVENT_FORK), EC_OK);
    CHECK(wish(EVENT_BEGIN_EBAR, NULL), EC_OK);
    region();
    CHECK(taken(EVENT_FORK), 0);
    CHECK(taken(EVENT_BEGIN_EBAR), 0);
    CHECK(taken(EVENT_JOIN), 1);
    CHECK(taken(EVENT_END_EBAR), 2);
    CHECK(wish(EVENT_FORK, count), EC_OK);
    region();
    CHECK(taken(EVENT_FORK), 1);
}

/* The first session opens in the middle of a region: the region is unknown, nothing is invented, and no half is reported. */
static void in_the_middle(void) {
    int ec = -1;
#pragma omp parallel num_threads(2)
    {
#pragma omp masked
        {
            listen();
            CHECK(state(), STATE_WORK);
            CHECK(region_id(&ec), 0);
            CHECK(ec, EC_OK);
        }
#pragma omp barrier
        if (omp_get_thread_num() == 1) CHECK(state(), STATE_WORK);
    }
    CHECK(taken(EVENT_JOIN), 0);
    CHECK(taken(EVENT_FORK), 0);
    CHECK(state(), STATE_SERIAL);
    taken(EVENT_BEGIN_EBAR);
    taken(EVENT_END_EBAR);
    region();
    heard(1);
}

/* A registration in the middle of a region whose start the session has seen. */
static void halves(void) {
    CHECK(request(REQ_START), EC_OK);
#pragma omp parallel num_threads(2)
    {
#pragma omp masked
        {
            CHECK(region_id(NULL) != 0, 1);
            CHECK(wish(EVENT_FORK, count), EC_OK);
            CHECK(wish(EVENT_JOIN, count), EC_OK);
        }
    }
    CHECK(taken(EVENT_FORK), 0);
    CHECK(taken(EVENT_JOIN), 0);
    region();
    CHECK(taken(EVENT_FORK), 1);
    CHECK(taken(EVENT_JOIN), 1);
}

/* Sessions that come and go inside a region leave the stack of regions correct. */
static void in_and_out(void) {
    uint64_t outer, last = 0;
    int round;
    CHECK(request(REQ_START), EC_OK);
    for (round = 0; round < 5; round++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp masked
            {
                outer = region_id(NULL);
                CHECK(outer == last + 1 || last == 0, 1);
                CHECK(request(REQ_STOP), EC_OK);
                CHECK(request(REQ_START), EC_OK);
                CHECK(region_id(NULL) == outer, 1);
                last = outer + 1;
            }
#pragma omp masked
            {
#pragma omp parallel num_threads(1)
                CHECK(region_id(NULL), (long)last);
                CHECK(region_id(NULL), (long)last - 1);
            }
        }
        CHECK(region_id(NULL), 0);
        CHECK(state(), STATE_SERIAL);
    }
}

static omp_lock_t lock;
static omp_nest_lock_t nest;

/* Callbacks that use everything that they are allowed to use. */
static void busy(int event) {
    if (in_callback) {
        printf("event %d inside of a callback\n", event);
        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
        return;
    }
    in_callback = 1;
    omp_set_lock(&lock);
    counts[event]++;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    counts[0] += omp_get_max_threads() > 0;
    omp_unset_nest_lock(&nest);
#pragma omp critical(in_callback)
    counts[0] += 1;
    if (state() < STATE_OVHD || region_id(NULL) == UINT64_MAX) __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    if (event == EVENT_JOIN) {
        /* A region inside a callback, which is not reported to this collector. */
#pragma omp parallel num_threads(1)
        counts[0] += 1;
    }
    in_callback = 0;
}

static void reentrant(void) {
    int event, i;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    CHECK(request(REQ_START), EC_OK);
    for (event = EVENT_FORK; event <= EVENT_END_ATWT; event++) wish(event, busy);
    for (i = 0; i < 50; i++) region();
    CHECK(taken(EVENT_FORK), 50);
    CHECK(taken(EVENT_JOIN), 50);
    CHECK(taken(EVENT_BEGIN_EBAR), 100);
    CHECK(taken(EVENT_BEGIN_LKWT), 0);
    CHECK(taken(EVENT_BEGIN_CTWT), 0);
    CHECK(request(REQ_STOP), EC_OK);
}

/* A callback may change the session that it is called from. */
static void stop_now(int event) {
    count(event);
    if (request(REQ_STOP) != EC_OK) __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

static void unwish_now(int event) {
    count(event);
    if (unwish(event) != EC_OK) __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

static void from_callbacks(void) {
    CHECK(request(REQ_START), EC_OK);
    CHECK(wish(EVENT_FORK, unwish_now), EC_OK);
    CHECK(wish(EVENT_JOIN, stop_now), EC_OK);
    region();
    CHECK(taken(EVENT_FORK), 1);
    CHECK(taken(EVENT_JOIN), 1);
    CHECK(request(REQ_STOP), EC_SEQUENCE_ERR);
    region();
    CHECK(taken(EVENT_FORK), 0);
    CHECK(taken(EVENT_JOIN), 0);
}

/* After its own STOP, no callback starts on a thread, no matter what others do, until it starts a session again. */
static void never_after_stop(int event) {
    (void)event;
    if (stopped_here) __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

static void *open_and_close(void *unused) {
    int round;
    for (round = 0; round < 3000; round++) {
        int ec = request(REQ_START), event;
        if (ec != EC_OK && ec != EC_SEQUENCE_ERR) __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
        for (event = EVENT_FORK; event <= EVENT_END_ATWT; event++) {
            ec = wish(event, never_after_stop);
            if (ec != EC_OK && ec != EC_SEQUENCE_ERR && ec != EC_UNSUPPORTED)
                __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
        }
        request(REQ_PAUSE);
        request(REQ_RESUME);
        request(REQ_STOP);
    }
    return unused;
}

static void races(void) {
    pthread_t threads[3];
    int i;
    for (i = 0; i < 3; i++) pthread_create(&threads[i], NULL, open_and_close, NULL);
    for (i = 0; i < 3000; i++) {
        int ec = -1;
        uint64_t id;
        region();
        id = region_id(&ec);
        if (ec != EC_SEQUENCE_ERR && (ec != EC_OK || id != 0)) failures++;
    }
    for (i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    CHECK(request(REQ_STOP), EC_SEQUENCE_ERR);
    stopped_here = 1;
    region();
    stopped_here = 0;
    listen();
    region();
    heard(1);
}

/* The session continues in a forked child, with the same registrations. */
static void forked(void) {
    int status;
    pid_t child;
    listen();
    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(30);
        CHECK(request(REQ_START), EC_SEQUENCE_ERR);
        CHECK(state(), STATE_SERIAL);
        CHECK(region_id(NULL), 0);
        region();
        heard(1);
        CHECK(request(REQ_STOP), EC_OK);
        exit(failures != 0);
    }
    region();
    heard(1);
    CHECK(waitpid(child, &status, 0), child);
    CHECK(status, 0);
    CHECK(request(REQ_STOP), EC_OK);
}

/* Registered before START, so it runs after START's own exit handler: from then on no event is raised, and queries still have
 * answers. */
static void after_the_end(void) {
    region();
    heard(0);
    CHECK(state(), STATE_SERIAL);
    CHECK(region_id(NULL), 0);
    fflush(stdout);
    if (failures) _exit(1);
}

static void ended(void) {
    atexit(after_the_end);
    listen();
    region();
    heard(1);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"paused", paused},       {"stopped", stopped}, {"unregistered", unregistered},
                 {"middle", in_the_middle}, {"halves", halves},   {"in-and-out", in_and_out},
                 {"reentrant", reentrant}, {"callbacks", from_callbacks}, {"races", races}, {"forked", forked}, {"ended", ended},
                 {"entry", paused}};
    unsigned i;
    /* The runtime opens the library when it starts. */
    if (argc > 1 && strcmp(argv[1], "entry") == 0) omp_get_max_threads();
    api = find_collector_api();
    if (!api) {
        printf("no library with the interface is loaded\n");
        return 2;
    }
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0) {
            kinds[i].run();
            return failures != 0;
        }
    printf("no such kind\n");
    return 2;
}
