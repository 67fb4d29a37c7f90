/* Waits for everything that can be held: one thread holds it for a while, and another one waits for it. On any runtime. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 3, PAUSE = 20000 };

static int taken, tried;

/* The second thread continues when the first one holds it, which keeps it until the second one has had time to request it. */
static void after(int *what) {
    while (!__atomic_load_n(what, __ATOMIC_ACQUIRE)) usleep(100);
}
static void tell(int *what) { __atomic_store_n(what, 1, __ATOMIC_RELEASE); }
static void hold(void) {
    tell(&taken);
    after(&tried);
    usleep(PAUSE);
}

static omp_lock_t lock;
static omp_nest_lock_t nest;

/* Each act is called by both threads, the first one with 1. */
static void with_lock(int first) {
    omp_set_lock(&lock);
    if (first) hold();
    omp_unset_lock(&lock);
}
static void with_nest(int first) {
    omp_set_nest_lock(&nest);
    if (first) hold();
    omp_unset_nest_lock(&nest);
}
static void with_critical(int first) {
#pragma omp critical
    if (first) hold();
}

static void contend(void (*act)(int)) {
    int round;
    for (round = 0; round < ROUNDS; round++) {
        taken = tried = 0;
#pragma omp parallel num_threads(2)
        {
            const int first = omp_get_thread_num() == 0;
            if (!first) after(&taken), tell(&tried);
            act(first);
        }
    }
}

/* The second thread's turn comes after the first one's, which lasts for a while. */
static void in_turn(void) {
    int i;
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (i = 0; i < 2 * ROUNDS; i++) {
        if (i % 2 == 1) usleep(PAUSE / 4);
#pragma omp ordered
        if (i % 2 == 0) usleep(PAUSE);
    }
}

int main(int argc, char **argv) {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    contend(with_lock);
    contend(with_nest);
    contend(with_critical);
    if (argc > 1) in_turn();
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    printf("%s\n", argc > 1 ? argv[1] : "done");
    return 0;
}
