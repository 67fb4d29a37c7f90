/* The runtime that teams.h declares: an example of how to use ora_embed.h. Each call of ora_embed_* is at the place where the event in
 * its name happens; the rest is what any such runtime does. */
#include "teams.h"
#include "ora_embed.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* Exported, so that a collector that starts before main finds out what it can request. */
extern const ora_embed_runtime ora_embed_about;
const ora_embed_runtime ora_embed_about = {ORA_EMBED_VERSION,
                                           ORA_EMBED_HAS_BARRIERS | ORA_EMBED_HAS_LOCKS | ORA_EMBED_HAS_POOL |
                                               ORA_EMBED_HAS_TASKS | ORA_EMBED_HAS_TASK_WAITS,
                                           NULL};

struct task {
    ora_embed_task seen;
    void (*body)(void *);
    void *data;
    struct task *next;
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t *workers;
    int size, stopping;
    void (*body)(void *, int);
    void *data;
    const ora_embed_region *region;
    unsigned long round;          /* counts regions */
    int arrived;                  /* at the barrier that is open */
    uint64_t barriers;            /* counts barriers: their wait ids */
    struct task *tasks;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* With the mutex locked. */
static void meet(void) {
    uint64_t mine = pool.barriers;
    if (++pool.arrived == pool.size) {
        pool.arrived = 0;
        pool.barriers++;
        pthread_cond_broadcast(&pool.changed);
    }
    while (pool.barriers == mine) pthread_cond_wait(&pool.changed, &pool.mutex);
}

/* With the mutex locked; it is released in the meantime. */
static void run_tasks(void) {
    struct task *task;
    while ((task = pool.tasks)) {
        ora_embed_mark mark;
        pool.tasks = task->next;
        pthread_mutex_unlock(&pool.mutex);
        ora_embed_task_begin(&task->seen, &mark);
        task->body(task->data);
        ora_embed_task_end(&mark);
        ora_embed_task_gone(&mark);
        free(task);
        pthread_mutex_lock(&pool.mutex);
    }
}

static void run_body(int member) {
    const ora_embed_region *region = pool.region;
    ora_embed_task implicit;
    ora_embed_member_number(region, member, pool.size);
    ora_embed_member_begin(region);
    ora_embed_task_implicit(&implicit, NULL);
    pool.body(pool.data, member);
    teams_taskwait();
    ora_embed_task_implicit(NULL, NULL);
    ora_embed_member_end(region);
    pthread_mutex_lock(&pool.mutex);
    meet();
    pthread_mutex_unlock(&pool.mutex);
    if (member != 0) ora_embed_member_pooled(region);
}

static void *worker(void *member) {
    unsigned long seen = 0;
    ora_embed_worker();
    for (;;) {
        pthread_mutex_lock(&pool.mutex);
        while (pool.round == seen && !pool.stopping) pthread_cond_wait(&pool.changed, &pool.mutex);
        seen = pool.round;
        pthread_mutex_unlock(&pool.mutex);
        if (pool.stopping) return NULL;
        run_body((int)(intptr_t)member);
    }
}

void teams_start(int threads) {
    ora_embed_start(&ora_embed_about);
    pool.size = threads;
    pool.workers = calloc((size_t)threads, sizeof *pool.workers);
    for (intptr_t i = 1; i < threads; i++) pthread_create(&pool.workers[i], NULL, worker, (void *)i);
}

void teams_parallel(void (*body)(void *, int), void *data) {
    const ora_embed_region *region =
        ora_embed_parallel_begin_for(pool.size, __builtin_return_address(0), (void (*)(void))body);
    pthread_mutex_lock(&pool.mutex);
    pool.body = body;
    pool.data = data;
    pool.region = region;
    pool.round++;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.mutex);
    run_body(0);
    ora_embed_parallel_end(region);
}

void teams_barrier(void) {
    ora_embed_mark mark;
    pthread_mutex_lock(&pool.mutex);
    run_tasks();
    ora_embed_wait_begin(ORA_EMBED_WAIT_EXPLICIT_BARRIER, pool.barriers + 1, &mark);
    meet();
    ora_embed_wait_end(&mark);
    pthread_mutex_unlock(&pool.mutex);
}

void teams_lock_set(teams_lock *lock) {
    pthread_mutex_lock(&pool.mutex);
    if (lock->taken) { /* only a wait that is one */
        ora_embed_mark mark;
        ora_embed_wait_begin(ORA_EMBED_WAIT_LOCK, (uint64_t)(uintptr_t)lock, &mark);
        while (lock->taken) pthread_cond_wait(&pool.changed, &pool.mutex);
        ora_embed_wait_end(&mark);
    }
    lock->taken = 1;
    pthread_mutex_unlock(&pool.mutex);
}

void teams_lock_unset(teams_lock *lock) {
    pthread_mutex_lock(&pool.mutex);
    lock->taken = 0;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.mutex);
}

void teams_task(void (*body)(void *), void *data) {
    struct task *task = malloc(sizeof *task);
    ora_embed_mark mark;
    ora_embed_task_create_begin_for(&task->seen, &mark, __builtin_return_address(0), (void (*)(void))body);
    task->body = body;
    task->data = data;
    ora_embed_task_create_end(&task->seen, 0, &mark);
    pthread_mutex_lock(&pool.mutex);
    task->next = pool.tasks;
    pool.tasks = task;
    pthread_mutex_unlock(&pool.mutex);
}

void teams_taskwait(void) {
    ora_embed_mark mark;
    ora_embed_wait_begin(ORA_EMBED_WAIT_CHILDREN, 0, &mark);
    pthread_mutex_lock(&pool.mutex);
    run_tasks();
    pthread_mutex_unlock(&pool.mutex);
    ora_embed_wait_end(&mark);
}

void teams_stop(void) {
    pthread_mutex_lock(&pool.mutex);
    pool.stopping = 1;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.mutex);
    for (int i = 1; i < pool.size; i++) pthread_join(pool.workers[i], NULL);
    free(pool.workers);
}
