#include <pthread.h>
#include <stdio.h>
#include "ora_embed.h"

enum { THREADS = 2 };

/* Exported: a collector that starts before `main` sees from it which events it can register for. */
extern const ora_embed_runtime ora_embed_about;
const ora_embed_runtime ora_embed_about = {ORA_EMBED_VERSION, 0, NULL};

struct member { const ora_embed_region *region; void (*body)(int); int number; };

static void run_member(const struct member *me) {
    ora_embed_member_number(me->region, me->number, THREADS);
    ora_embed_member_begin(me->region);
    me->body(me->number);
    ora_embed_member_end(me->region);
}

static void *worker(void *data) {
    struct member *me = data;
    ora_embed_worker();
    run_member(me);
    ora_embed_member_pooled(me->region);
    return NULL;
}

/* Not inlined: the return address is that of the program's call. */
__attribute__((noinline)) static void parallel(void (*body)(int)) {
    const ora_embed_region *region =
        ora_embed_parallel_begin_for(THREADS, __builtin_return_address(0), (void (*)(void))body);
    struct member members[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) members[i] = (struct member){region, body, i};
    for (int i = 1; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, &members[i]);
    run_member(&members[0]);
    for (int i = 1; i < THREADS; i++) pthread_join(threads[i], NULL);
    ora_embed_parallel_end(region);
}

static double sums[THREADS];
static void add_up(int member) {
    double sum = 0;
    for (long i = 1; i < 10000000 * (member + 1); i++) sum += 1.0 / i;
    sums[member] = sum;
}

int main(void) {
    ora_embed_start(&ora_embed_about);
    for (int i = 0; i < 3; i++) parallel(add_up);
    printf("%f\n", sums[0]);
    return 0;
}
