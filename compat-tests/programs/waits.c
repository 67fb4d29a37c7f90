/* Two threads that wait for each other a known number of times: `waits KIND contended|free`.
 *
 * Contended: in each of ROUNDS rounds one thread is inside and stays there until the other is blocked. Free: the other
 * comes when nobody is inside. Ordered loops have 2 * ROUNDS iterations; contended, each but the first has to wait,
 * or with chunks of two iterations each but the first chunk.
 * Prints what the wait id must be, where the program can know it. */
#include <omp.h>
#include <stdint.h>

#include "gate.h"
#include "gomp_entry_points.h"

enum { ROUNDS = 10, ITERATIONS = 2 * ROUNDS };

/* gcc's own name for the mutex of `critical(pear)`. */
extern char pear_word[] __asm__(".gomp_critical_user_pear");

static omp_lock_t lock;
static omp_nest_lock_t nest;
static int contended, entered, done, other_tid, begun[ITERATIONS], runner[ITERATIONS];

static void inside(const char *kind, void (*body)(void)) {
    if (strcmp(kind, "lock") == 0) {
        omp_set_lock(&lock);
        body();
        omp_unset_lock(&lock);
    } else if (strcmp(kind, "nest") == 0) {
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        body();
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    } else if (strcmp(kind, "unnamed") == 0) {
#pragma omp critical
        body();
    } else if (strcmp(kind, "named") == 0) {
#pragma omp critical(pear)
        body();
    } else if (strcmp(kind, "atomic") == 0) {
        GOMP_atomic_start();
        body();
        GOMP_atomic_end();
    } else {
        fprintf(stderr, "no such kind: %s\n", kind);
        exit(2);
    }
}

static void nothing(void) {}

static void hold(void) {
    if (!contended) return;
    gate_set(&entered, 1);
    gate_until_blocked(&other_tid);
}

static void exclusive(const char *kind) {
#pragma omp parallel num_threads(2)
    {
        int round;
        for (round = 1; round <= ROUNDS; round++) {
            if (omp_get_thread_num() == 0) {
                inside(kind, hold);
                if (!contended) gate_set(&entered, 1);
                gate_until(&done, round);
            } else {
                gate_until(&entered, 1);
                gate_set(&entered, 0);
                gate_set(&other_tid, gate_thread_id());
                inside(kind, nothing);
                gate_set(&other_tid, 0);
                gate_set(&done, round);
            }
        }
    }
}

/* At the start of an iteration's ordered region. */
static void before(int i) {
    runner[i] = gate_thread_id();
    gate_set(&begun[i], 1);
    if (contended) return;
    /* It is this iteration's turn once the one before has continued with its next iteration, or reached the loop's end. */
    if (i + 1 < ITERATIONS) gate_until(&begun[i + 1], 1);
    else gate_until_blocked(&runner[i - 1]);
}

static void within(int i) {
    if (!contended || i + 1 == ITERATIONS) return;
    gate_until(&begun[i + 1], 1);
    gate_until_blocked(&runner[i + 1]);
}

static void ordered_static(void) {
    int i;
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (i = 0; i < ITERATIONS; i++) {
        before(i);
#pragma omp ordered
        within(i);
    }
}

static void ordered_dynamic(void) {
    int i;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(2)
    for (i = 0; i < ITERATIONS; i++) {
        before(i);
#pragma omp ordered
        within(i);
    }
}

/* Chunks of two: only their first iterations wait. */
static void within_chunk(int i) {
    const int next = i / 2 * 2 + 2;
    if (!contended || next >= ITERATIONS) return;
    gate_until(&begun[next], 1);
    gate_until_blocked(&runner[next]);
}

static void ordered_chunks(void) {
    int i;
#pragma omp parallel for ordered schedule(static, 2) num_threads(2)
    for (i = 0; i < ITERATIONS; i++) {
        runner[i] = gate_thread_id();
        gate_set(&begun[i], 1);
#pragma omp ordered
        within_chunk(i);
    }
}

static void ordered_dynamic_chunks(void) {
    int i;
#pragma omp parallel for ordered schedule(dynamic, 2) num_threads(2)
    for (i = 0; i < ITERATIONS; i++) {
        runner[i] = gate_thread_id();
        gate_set(&begun[i], 1);
#pragma omp ordered
        within_chunk(i);
    }
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    contended = argc > 2 && strcmp(argv[2], "contended") == 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    if (strcmp(kind, "ordered-static") == 0) ordered_static();
    else if (strcmp(kind, "ordered-dynamic") == 0) ordered_dynamic();
    else if (strcmp(kind, "ordered-chunks") == 0) ordered_chunks();
    else if (strcmp(kind, "ordered-dynamic-chunks") == 0) ordered_dynamic_chunks();
    else exclusive(kind);
    if (strcmp(kind, "lock") == 0) printf("%ju\n", (uintmax_t)(uintptr_t)&lock);
    if (strcmp(kind, "nest") == 0) printf("%ju\n", (uintmax_t)(uintptr_t)&nest);
    if (strcmp(kind, "named") == 0) printf("%ju\n", (uintmax_t)(uintptr_t)pear_word);
    return 0;
}
