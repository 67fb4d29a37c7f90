#include "judge.h"
#include "heard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__thread int64_t judge_new_region = UNKNOWN, judge_new_task = UNKNOWN;

static look eyes_of[EYES];
static const char *const names[EYES] = {"ORA", "TR2", "5"};
static int complaints;

void judge_lend(int whose, look eyes) { __atomic_store_n(&eyes_of[whose], eyes, __ATOMIC_SEQ_CST); }

look judge_eyes(int whose) { return __atomic_load_n(&eyes_of[whose], __ATOMIC_SEQ_CST); }

void judge_complain(const char *where, const char *what, int64_t one, int64_t other) {
    /* Enough to see what is wrong. */
    if (__atomic_fetch_add(&complaints, 1, __ATOMIC_RELAXED) < 20)
        fprintf(stderr, "%s: %s: %lld and %lld\n", where, what, (long long)one, (long long)other);
}

/* Numbers under which agreements are counted: one for each pair of interfaces, and one for the data of events. */
enum { PAIR = 1, EVENT = 10 };

static void same(const char *where, const char *what, int a, int b, int64_t one, int64_t other) {
    char text[64];
    if (one == UNKNOWN || other == UNKNOWN) return;
    if (one == other) {
        heard(b == EYES ? EVENT + a : PAIR + a + b);
        return;
    }
    snprintf(text, sizeof text, "%s of %s and %s", what, names[a], b == EYES ? "the event" : names[b]);
    judge_complain(where, text, one, other);
}

/* The part of the state that all of them see. */
struct sight {
    struct view views[EYES];
    int there[EYES];
};

static void look_around(struct sight *sight) {
    int a;
    memset(sight, 0xff, sizeof *sight);
    for (a = 0; a < EYES; a++) {
        const look eyes = judge_eyes(a);
        sight->there[a] = eyes && eyes(&sight->views[a]);
    }
}

/* If a member of a team reports late, its region may end, and another one may start in its place, between two observations: only what is
 * seen twice existed at one time. */
static struct sight steady_sight(void) {
    struct sight now, before;
    int tries = 0;
    look_around(&now);
    do {
        before = now;
        look_around(&now);
    } while (memcmp(&now, &before, sizeof now) != 0 && ++tries < 100);
    return now;
}

static void compare(const char *where, int64_t region, int64_t task, int is_begin_or_end) {
    struct sight sight = steady_sight();
    struct view *const views = sight.views;
    const int *const there = sight.there;
    int a, b, level;
    for (a = 0; a < EYES; a++) {
        if (!there[a]) continue;
        if (is_begin_or_end && a == OF_ORA) {
            same(where, "region", a, EYES, views[a].region[0], region);
            memmove(&views[a].region[0], &views[a].region[1], sizeof views[a].region[0] * (LEVELS - 1));
        } else if (!is_begin_or_end) {
            same(where, "region", a, EYES, views[a].region[0], region);
        }
        same(where, "task", a, EYES, views[a].task[0], task);
        for (b = 0; b < a; b++) {
            if (!there[b]) continue;
            for (level = 0; level < LEVELS; level++) {
                same(where, "region", a, b, views[a].region[level], views[b].region[level]);
                same(where, "task", a, b, views[a].task[level], views[b].task[level]);
            }
            same(where, "thread", a, b, views[a].thread, views[b].thread);
            same(where, "team size", a, b, views[a].size, views[b].size);
            if (!(views[a].state & views[b].state)) judge_complain(where, "state", views[a].state, views[b].state);
        }
    }
}

void judge_event(const char *where, int64_t region, int64_t task) { compare(where, region, task, 0); }

void judge_region(const char *where, int64_t region, int64_t task) { compare(where, region, task, 1); }

uint32_t judge_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

uint32_t judge_seed(uint32_t which) {
    const char *said = getenv("SIDE_SEED");
    return (said ? (uint32_t)atoi(said) : 0) * 7919u + which;
}

int judge_storms(const char *who) {
    const char *list = getenv("SIDE_STORM");
    return list && strstr(list, who) != NULL;
}

void judge_start(void *(*run)(void *)) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, run, NULL) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void judge_pause(uint32_t *state) {
    struct timespec moment = {0, 0};
    moment.tv_nsec = (long)(judge_random(state) % 300000);
    nanosleep(&moment, NULL);
}

__attribute__((constructor)) static void open_court(void) { heard_open("judge"); }
