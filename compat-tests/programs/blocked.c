/* What a blocked thread's STATE and CURRENT_PRID answer, in a session without a single registration: `blocked KIND`.
 *
 * The team has three threads. One stays outside; the other two run into what blocks them (a lock blocks them both). A
 * signal makes each of them ask. Prints one line a blocked thread: state, what the wait id is, what the region is. */
#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "gate.h"
#include "gomp_entry_points.h"
#include "white_paper.h"
#include "older_names.h"

enum { TEAM = 3 };

struct answer {
    int ec, state, rsz, prid_ec;
    uint64_t wait, prid;
};

extern char pear_word[] __asm__(".gomp_critical_user_pear");

static collector_api api;
static omp_lock_t lock;
static omp_nest_lock_t nest;
static int tids[TEAM], begun[TEAM], zero_is_in, numbers[TEAM] = {0, 1, 2};
static pthread_t threads[TEAM];
static struct answer answers[TEAM], first[TEAM];
static __thread int me;
static uint64_t region;
static sem_t answered;
/* Constructs that block threads here let them spin, so a thread's answer shows whether it is blocked. */
static int spinning;

static struct answer ask(void) {
    int list[] = {28, REQ_STATE, -1, -1, -1, -1, -1, 24, REQ_CURRENT_PRID, -1, -1, -1, -1, 0};
    struct answer answer;
    memset(&answer, 0, sizeof answer);
    if (api(list) != 0) return answer;
    answer.ec = list[2];
    answer.rsz = list[3];
    answer.state = list[4];
    if (answer.rsz == 12) memcpy(&answer.wait, &list[5], 8);
    answer.prid_ec = list[9];
    memcpy(&answer.prid, &list[11], 8);
    return answer;
}

static void on_signal(int signal) {
    (void)signal;
    answers[me] = ask();
    sem_post(&answered);
}

/* Waits until the thread is blocked, and then queries it. */
static void question(int thread) {
    int patience = 2000;
    if (spinning) gate_until(&begun[thread], 1);
    else gate_until_blocked(&tids[thread]);
    do {
        pthread_kill(threads[thread], SIGUSR1);
        while (sem_wait(&answered) != 0) continue;
    } while (spinning && answers[thread].wait == 0 && --patience && usleep(1000) == 0);
}

static void tell(int thread, uint64_t wanted) {
    const struct answer a = answers[thread];
    printf("thread: ec %d, state %d, wait id %s, prid ec %d, region %s\n", a.ec, a.state,
           a.wait == 0                   ? "none"
           : wanted && a.wait == wanted  ? "as it must be"
           : wanted                      ? "another"
                                         : "some",
           a.prid_ec, a.prid == 0 ? "none" : a.prid == region ? "the team's" : "another");
}

static void question_all(uint64_t wanted) {
    question(1);
    question(2);
    tell(1, wanted);
    tell(2, wanted);
    printf("wait ids of both: %s\n", answers[1].wait == answers[2].wait ? "same" : "different");
}

static void enter(void) {
    me = omp_get_thread_num();
    threads[me] = pthread_self();
    gate_set(&tids[me], gate_thread_id());
    if (me == 0) region = ask().prid;
}

/* The first thread to arrive queries the two others. */
static void hold(uint64_t wanted) {
    if (me == 0) question_all(wanted);
}

/* Thread 0 enters first, and reports when it is inside. */
static void in_turn(void) {
    if (me == 0) gate_set(&zero_is_in, 1);
    else gate_until(&zero_is_in, 1);
}

static void slow(int *out, const int *in) {
    if (me == 0) {
        in_turn();
        question_all(0);
    }
    *out += *in;
}

#pragma omp declare reduction(slowly : int : slow(&omp_out, &omp_in)) initializer(omp_priv = 0)

/* A thread of the program itself, in no region. */
static void *lock_outside(void *number) {
    me = *(int *)number;
    threads[me] = pthread_self();
    gate_set(&tids[me], gate_thread_id());
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    return NULL;
}

static void after_barrier(void) {
    memcpy(first, answers, sizeof first);
}

static void next_barrier(void) {
    printf("the next barrier: %s\n", first[1].wait != answers[1].wait ? "another wait id" : "the same wait id");
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    int start[] = {16, REQ_START, -1, -1, 0}, i, sum = 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
    sem_init(&answered, 0, 0);
    omp_set_num_threads(TEAM);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    api = find_collector_api();
    if (!api || api(start) != 0 || start[2] != EC_OK) return 2;
    if (strcmp(kind, "lock") == 0 || strcmp(kind, "nest") == 0 || strcmp(kind, "named") == 0 ||
        strcmp(kind, "unnamed") == 0 || strcmp(kind, "atomic") == 0) {
#pragma omp parallel
        {
            enter();
            if (*kind == 'l') {
                if (me == 0) omp_set_lock(&lock);
                in_turn();
                if (me != 0) omp_set_lock(&lock);
                hold((uint64_t)(uintptr_t)&lock);
                omp_unset_lock(&lock);
            } else if (kind[0] == 'n' && kind[1] == 'e') {
                if (me == 0) omp_set_nest_lock(&nest);
                in_turn();
                if (me != 0) omp_set_nest_lock(&nest);
                hold((uint64_t)(uintptr_t)&nest);
                omp_unset_nest_lock(&nest);
            } else if (*kind == 'n') {
                if (me != 0) in_turn();
#pragma omp critical(pear)
                {
                    if (me == 0) in_turn();
                    hold((uint64_t)(uintptr_t)pear_word);
                }
            } else if (*kind == 'u') {
                if (me != 0) in_turn();
#pragma omp critical
                {
                    if (me == 0) in_turn();
                    hold(0);
                }
            } else {
                if (me != 0) in_turn();
                GOMP_atomic_start();
                if (me == 0) in_turn();
                hold(0);
                GOMP_atomic_end();
            }
        }
    } else if (strcmp(kind, "ordered") == 0) {
#pragma omp parallel for ordered schedule(static, 1)
        for (i = 0; i < TEAM; i++) {
            enter();
#pragma omp ordered
            hold(0);
        }
    } else if (strcmp(kind, "doacross") == 0) {
        spinning = 1;
#pragma omp parallel for ordered(1) schedule(static, 1)
        for (i = 0; i < TEAM; i++) {
            enter();
            gate_set(&begun[me], 1);
#pragma omp ordered depend(sink : i - 1)
            hold(0);
#pragma omp ordered depend(source)
        }
    } else if (strcmp(kind, "undeferred") == 0) {
        /* A task that another thread executes, and an undeferred one that waits for it. */
#pragma omp parallel
        {
            enter();
            /* The region is known before a thread queries it. */
#pragma omp barrier
            if (me == 1) {
#pragma omp task depend(out : sum)
                {
                    gate_set(&zero_is_in, 1);
                    question(1);
                    tell(1, 0);
                    sum += 1;
                }
                gate_until(&zero_is_in, 1);
#pragma omp task if (0) depend(in : sum)
                if (sum != 1) abort();
            }
        }
    } else if (strcmp(kind, "ordered-next") == 0) {
        /* Iterations without an ordered region wait for their turn at the start of the next one. */
#pragma omp parallel for ordered schedule(static, 1)
        for (i = 0; i < 2 * TEAM; i++) {
            if (i < TEAM) enter();
            if (i != 0) continue;
#pragma omp ordered
            hold(0);
        }
    } else if (strcmp(kind, "outside") == 0) {
        pthread_t blocked[TEAM];
        omp_set_lock(&lock);
        for (i = 1; i < TEAM; i++) pthread_create(&blocked[i], NULL, lock_outside, &numbers[i]);
        question_all((uint64_t)(uintptr_t)&lock);
        omp_unset_lock(&lock);
        for (i = 1; i < TEAM; i++) pthread_join(blocked[i], NULL);
    } else if (strcmp(kind, "explicit") == 0) {
#pragma omp parallel
        {
            enter();
            for (int round = 0; round < 2; round++) {
                if (me == 0) question_all(0);
                if (me == 0 && round == 1) next_barrier();
                if (me == 0) after_barrier();
#pragma omp barrier
            }
        }
    } else if (strcmp(kind, "single") == 0) {
#pragma omp parallel
        {
            enter();
            if (me != 0) in_turn();
#pragma omp single
            {
                in_turn();
                hold(0);
            }
        }
    } else if (strcmp(kind, "copyprivate") == 0) {
#pragma omp parallel private(i)
        {
            enter();
            if (me != 0) in_turn();
#pragma omp single copyprivate(i)
            {
                in_turn();
                hold(0);
                i = 1;
            }
        }
    } else if (strcmp(kind, "loop") == 0) {
#pragma omp parallel
        {
            enter();
            for (int round = 0; round < 2; round++) {
#pragma omp for schedule(dynamic)
                for (i = 0; i < 1; i++) sum += 1;
                /* The one that stays outside waits at the start of the next loop. */
                if (me == 0 && round == 0) {
                    question_all(0);
                    after_barrier();
                }
                if (me == 0 && round == 1) {
                    question_all(0);
                    next_barrier();
                }
            }
#pragma omp for schedule(dynamic)
            for (i = 0; i < 1; i++) sum += 1;
        }
    } else if (strcmp(kind, "region") == 0) {
        for (int round = 0; round < 2; round++) {
#pragma omp parallel
            {
                enter();
                if (me == 0) question_all(0);
            }
            if (round == 1) next_barrier();
            after_barrier();
        }
    } else if (strcmp(kind, "master") == 0) {
        /* The other way round: a worker is late, and the master waits in the region's last barrier. */
#pragma omp parallel
        {
            enter();
            if (me == 1) {
                question(0);
                question(2);
                tell(0, 0);
                tell(2, 0);
                printf("wait ids of both: %s\n", answers[0].wait == answers[2].wait ? "same" : "different");
            }
        }
    } else if (strcmp(kind, "idle") == 0) {
#pragma omp parallel
        enter();
        question_all(0);
        struct answer mine = ask();
        printf("initial thread: state %d, region %s\n", mine.state, mine.prid ? "some" : "none");
    } else if (strcmp(kind, "reduction") == 0) {
        /* The combiner runs while the lock that guards atomic updates is held. */
#pragma omp parallel reduction(slowly : sum)
        {
            enter();
            sum += 1;
            if (me != 0) in_turn();
        }
    } else {
        return 2;
    }
    return 0;
}
