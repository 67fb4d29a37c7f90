/*
 * The threading library of pool.h, as a runtime that tools can watch: it reports its threads and loops to libora.so, which
 * serves collectors of the Sun Collector API and tools of OMPT.
 *
 * Every call of ora_embed_* stands where that happens which it names, on the thread that it is about. Without a tool each
 * is a test and a return. No mutex is held around them: a tool's callback runs inside.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include "pool.h"
#include "ora_embed.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * The runtime's description. It is exported under this name, so that tools that start before `main` get right answers to
 * what they ask for: barriers, and a pool whose workers are idle between loops.
 */
extern const ora_embed_runtime ora_embed_about;
const ora_embed_runtime ora_embed_about = {
    .version = ORA_EMBED_VERSION,
    .features = ORA_EMBED_HAS_BARRIERS | ORA_EMBED_HAS_POOL,
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t *workers;
    int threads, stopping;
    unsigned long loops;   /* so many loops have begun */
    int working;           /* members that have not arrived at the end of the current loop */
    long count;
    void (*body)(void *, long);
    void *data;
    const ora_embed_region *region;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* The last barrier of a loop: returns when every member has arrived. */
static void arrive(void) {
    unsigned long loop = pool.loops;
    pthread_mutex_lock(&pool.mutex);
    if (--pool.working == 0) pthread_cond_broadcast(&pool.changed);
    while (pool.working != 0 && pool.loops == loop) pthread_cond_wait(&pool.changed, &pool.mutex);
    pthread_mutex_unlock(&pool.mutex);
}

/* One member's share of the loop. Member 0 is the thread that called pool_for. */
static void run_share(int member) {
    const ora_embed_region *region = pool.region;
    ora_embed_member_number(region, member, pool.threads);
    ora_embed_member_begin(region);
    for (long i = pool.count * member / pool.threads; i < pool.count * (member + 1) / pool.threads; i++)
        pool.body(pool.data, i);
    ora_embed_member_end(region);
    arrive();
    if (member != 0) ora_embed_member_pooled(region);
}

static void *worker(void *member) {
    unsigned long seen = 0;
    ora_embed_worker();
    for (;;) {
        int stopping;
        pthread_mutex_lock(&pool.mutex);
        while (pool.loops == seen && !pool.stopping) pthread_cond_wait(&pool.changed, &pool.mutex);
        seen = pool.loops;
        stopping = pool.stopping;
        pthread_mutex_unlock(&pool.mutex);
        if (stopping) return NULL;
        run_share((int)(intptr_t)member);
    }
}

void pool_start(int threads) {
    ora_embed_start(&ora_embed_about);
    pool.threads = threads;
    pool.workers = calloc((size_t)threads, sizeof *pool.workers);
    for (intptr_t i = 1; i < threads; i++) pthread_create(&pool.workers[i], NULL, worker, (void *)i);
}

void pool_for(long count, void (*body)(void *, long), void *data) {
    /* Tools name the loop by the address that this call returns to, and by the function that is its body. */
    const ora_embed_region *region =
        ora_embed_parallel_begin_for(pool.threads, __builtin_return_address(0), (void (*)(void))body);
    pthread_mutex_lock(&pool.mutex);
    pool.count = count;
    pool.body = body;
    pool.data = data;
    pool.region = region;
    pool.working = pool.threads;
    pool.loops++;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.mutex);
    run_share(0);
    ora_embed_parallel_end(region);
}

void pool_stop(void) {
    pthread_mutex_lock(&pool.mutex);
    pool.stopping = 1;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.mutex);
    for (int i = 1; i < pool.threads; i++) pthread_join(pool.workers[i], NULL);
    free(pool.workers);
}
