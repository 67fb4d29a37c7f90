/* What a program needs to be its own collector and to check the results itself. */
#ifndef SESSION_H
#define SESSION_H

#include <stdint.h>
#include <stdio.h>

#include "white_paper.h"

static collector_api api;
static int counts[64], failures;

static inline int request(int r) {
    int list[] = {16, r, -1, -1, 0};
    return api(list) == 0 ? list[2] : -1;
}

static inline int wish(int event, event_callback callback) {
    int list[] = {28, REQ_REGISTER, -1, -1, event, 0, 0, 0};
    memcpy(&list[5], &callback, sizeof callback);
    return api(list) == 0 ? list[2] : -1;
}

static inline int unwish(int event) {
    int list[] = {20, REQ_UNREGISTER, -1, -1, event, 0};
    return api(list) == 0 ? list[2] : -1;
}

static inline int state(void) {
    int list[] = {20, REQ_STATE, -1, -1, -1, 0};
    return api(list) == 0 ? list[4] : -1;
}

static inline uint64_t region_id(int *ec) {
    int list[] = {24, REQ_CURRENT_PRID, -1, -1, -1, -1, 0};
    uint64_t id;
    if (api(list) != 0) return UINT64_MAX;
    if (ec) *ec = list[2];
    memcpy(&id, &list[4], sizeof id);
    return id;
}

static inline void count(int event) { __atomic_fetch_add(&counts[event], 1, __ATOMIC_RELAXED); }

static inline int taken(int event) { return __atomic_exchange_n(&counts[event], 0, __ATOMIC_RELAXED); }

static inline void check(int line, const char *what, long found, long wanted) {
    if (found == wanted) return;
    printf("line %d: %s is %ld, not %ld\n", line, what, found, wanted);
    failures++;
}
#define CHECK(expression, wanted) check(__LINE__, #expression, (long)(expression), wanted)

static inline void region(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
        __asm__ volatile("" ::: "memory");
    }
}

static inline void listen(void) {
    CHECK(request(REQ_START), EC_OK);
    CHECK(wish(EVENT_FORK, count), EC_OK);
    CHECK(wish(EVENT_JOIN, count), EC_OK);
    CHECK(wish(EVENT_BEGIN_EBAR, count), EC_OK);
    CHECK(wish(EVENT_END_EBAR, count), EC_OK);
}

static inline void heard(int regions) {
    CHECK(taken(EVENT_FORK), regions);
    CHECK(taken(EVENT_JOIN), regions);
    CHECK(taken(EVENT_BEGIN_EBAR), 2 * regions);
    CHECK(taken(EVENT_END_EBAR), 2 * regions);
}

#endif
