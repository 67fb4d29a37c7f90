/* Sixteen threads, each of which changes the session at random, while regions, tasks and locks run on two others and their teams:
 * `session_storm SECONDS`. Prints nothing if all is well. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "session.h"

enum { STORMERS = 16, LAST_EVENT = 35 };

static int over;
static unsigned long calls, told;

static int is_over(void) { return __atomic_load_n(&over, __ATOMIC_RELAXED); }

static void fail(const char *what, int code) {
    if (__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) < 10) printf("%s: %d\n", what, code);
}

static unsigned dice(unsigned *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Possible answers to a request, as a set of bits. */
enum { MAY_BE_OK = 1 << EC_OK, MAY_BE_OUT_OF_TURN = 1 << EC_SEQUENCE_ERR, MAY_BE_NONE = 1 << EC_UNSUPPORTED };

static void expect(const char *what, int code, int allowed) {
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    if (code < 0 || !(allowed >> code & 1)) fail(what, code);
}

static void ask(void) {
    int list[] = {28, REQ_STATE, -1, -1, 0, 0, 0, 24, REQ_CURRENT_PRID, -1, -1, 0, 0, 24, REQ_PARENT_PRID, -1, -1, 0, 0, 0};
    if (api(list) != 0) fail("a list of queries", -1);
    expect("STATE", list[2], MAY_BE_OK | MAY_BE_OUT_OF_TURN);
    expect("CURRENT_PRID", list[9], MAY_BE_OK | MAY_BE_OUT_OF_TURN);
    /* Outside of regions there is no parent. */
    expect("PARENT_PRID", list[15], MAY_BE_OK | MAY_BE_OUT_OF_TURN | 1 << EC_THREAD_ERR);
}

static void quiet(int event) {
    (void)event;
    __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);
}

static void asking(int event) {
    quiet(event);
    ask();
}

/* Ends the session from inside it. */
static void stopping(int event) {
    quiet(event);
    if (event % 7 == 0) expect("STOP in a callback", request(REQ_STOP), MAY_BE_OK | MAY_BE_OUT_OF_TURN);
}

static void *stormer(void *number) {
    static const event_callback callbacks[] = {quiet, asking, stopping};
    unsigned seed = 2463534242u + (unsigned)(size_t)number * 977u;
    while (!is_over()) {
        const unsigned roll = dice(&seed), event = 1 + roll / 64 % LAST_EVENT;
        const int may = MAY_BE_OK | MAY_BE_OUT_OF_TURN;
        switch (roll % 16) {
        case 0: expect("STOP", request(REQ_STOP), may); break;
        case 1: case 2: expect("START", request(REQ_START), may); break;
        case 3: expect("PAUSE", request(REQ_PAUSE), may); break;
        case 4: case 5: expect("RESUME", request(REQ_RESUME), may); break;
        case 6: expect("UNREGISTER", unwish((int)event), may | MAY_BE_NONE); break;
        case 7: ask(); break;
        default: expect("REGISTER", wish((int)event, callbacks[roll / 16 % 3]), may | MAY_BE_NONE); break;
        }
        if (roll % 1024 == 0) {
            const struct timespec pause = {0, 100000};
            nanosleep(&pause, NULL);
        }
    }
    return NULL;
}

/* Work with a known result. */
static void work(omp_lock_t *lock) {
    long sum = 0, guarded = 0, locked = 0, tasks = 0, inner = 0;
#pragma omp parallel num_threads(3) reduction(+ : inner)
    {
#pragma omp for schedule(dynamic, 1) reduction(+ : sum)
        for (int i = 0; i < 30; i++) sum += i;
#pragma omp critical(storm)
        guarded++;
        omp_set_lock(lock);
        locked++;
        omp_unset_lock(lock);
#pragma omp single
        for (int i = 0; i < 8; i++)
#pragma omp task shared(tasks)
        {
#pragma omp atomic
            tasks++;
        }
#pragma omp barrier
#pragma omp parallel num_threads(2) reduction(+ : inner)
        inner++;
    }
    if (sum != 435 || guarded != 3 || locked != 3 || tasks != 8 || inner < 3 || inner > 6) fail("a result is wrong", (int)sum);
}

/* Too few requests prove nothing: on a busy machine it runs longer. */
static int is_breeze(void) {
    return __atomic_load_n(&calls, __ATOMIC_RELAXED) < 1000 || __atomic_load_n(&told, __ATOMIC_RELAXED) < 100;
}

static void *worker(void *seconds) {
    const time_t end = time(NULL) + (long)(size_t)seconds;
    omp_lock_t lock;
    long rounds = 0;
    omp_init_lock(&lock);
    do work(&lock);
    while (++rounds < 20 || time(NULL) < end || is_breeze());
    omp_destroy_lock(&lock);
    return NULL;
}

int main(int argc, char **argv) {
    void *seconds = (void *)(size_t)(argc > 1 ? atoi(argv[1]) : 1);
    pthread_t stormers[STORMERS], other;
    api = find_collector_api();
    if (!api) return 2;
    omp_set_max_active_levels(2);
    for (size_t i = 0; i < STORMERS; i++) pthread_create(&stormers[i], NULL, stormer, (void *)i);
    pthread_create(&other, NULL, worker, seconds);
    worker(seconds);
    pthread_join(other, NULL);
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < STORMERS; i++) pthread_join(stormers[i], NULL);
    /* Afterwards nothing is left of it. */
    expect("STOP", request(REQ_STOP), MAY_BE_OK | MAY_BE_OUT_OF_TURN);
    told = 0;
    region();
    CHECK(told, 0);
    listen();
    region();
    heard(1);
    CHECK(told, 0);
    CHECK(state(), STATE_SERIAL);
    CHECK(region_id(NULL), 0);
    return failures != 0;
}
