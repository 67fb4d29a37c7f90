/* Raises every event and state, and each error code that can occur, in a fixed order, through ora_embed.h, on two threads that take
 * turns. Prints one line for each callback (event, state, region, parent, task, parent task; region and task ids are counted from the
 * first one seen) and one for each state that has no event. */
#include "omp_collector_api.h"
#include "ora_embed.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static sem_t go_worker, go_main;
static __thread char who = 'm';

struct answer { int ec, rsz; unsigned long long value, wait; };

static struct answer ask(int request, int room) {
    union { int words[16]; unsigned char bytes[64]; } list;
    struct answer answer;
    memset(&list, 0, sizeof list);
    list.words[0] = 16 + room;
    list.words[1] = request;
    __omp_collector_api(&list);
    answer.ec = list.words[2];
    answer.rsz = list.words[3];
    answer.value = 0;
    answer.wait = 0;
    memcpy(&answer.value, list.bytes + 16, answer.rsz == 8 ? 8 : 4);
    if (answer.rsz == 12) memcpy(&answer.wait, list.bytes + 20, 8);
    if (answer.rsz == 16) memcpy(&answer.wait, list.bytes + 24, 8);
    return answer;
}

static void show(const char *what, int number) {
    struct answer state = ask(OMP_REQ_STATE, 12), parent = ask(OMP_REQ_PARENT_PRID, 8);
    printf("%c %s %d: state %llu", who, what, number, state.value);
    if (state.rsz == 12) printf(" wait %llu", state.wait);
    printf(", region %llu", ask(OMP_REQ_CURRENT_PRID, 8).value);
    if (parent.ec == OMP_ERRCODE_OK) printf(" in %llu", parent.value);
    printf(", task %llu of %llu\n", ask(OMP_REQ_TASK_ID, 8).value, ask(OMP_REQ_TASK_PID, 8).value);
}

static void on_event(OMP_COLLECTORAPI_EVENT event) { show("event", (int)event); }

static int reg(int event, void (*callback)(OMP_COLLECTORAPI_EVENT)) {
    struct { int sz, r, ec, rsz, event; char callback[8]; int end; } list = {28, OMP_REQ_REGISTER, 0, 0, 0, {0}, 0};
    list.event = event;
    memcpy(list.callback, &callback, 8);
    __omp_collector_api(&list);
    return list.ec;
}

static void wait_for(int kind, unsigned long long id) {
    ora_embed_mark mark;
    ora_embed_wait_begin(kind, id, &mark);
    ora_embed_wait_end(&mark);
}

static void stretch(int kind) {
    ora_embed_mark mark;
    ora_embed_stretch_begin(kind, &mark);
    if (kind == ORA_EMBED_REDUCTION || kind == ORA_EMBED_OVERHEAD) show("state", 0);
    ora_embed_stretch_end(&mark);
}

static void *elsewhere(void *ec) {
    *(int *)ec = ask(OMP_REQ_PARENT_PRID, 8).ec;
    return NULL;
}

static int ask_elsewhere(void) {
    pthread_t thread;
    int ec = -1;
    pthread_create(&thread, NULL, elsewhere, &ec);
    pthread_join(thread, NULL);
    return ec;
}

static const ora_embed_region *region;

static void *worker(void *unused) {
    (void)unused;
    who = 'w';
    sem_wait(&go_worker);
    ora_embed_worker();
    ora_embed_member_begin(region);
    show("state", 0);
    wait_for(ORA_EMBED_WAIT_EXPLICIT_BARRIER, 501);
    ora_embed_member_end(region);
    ora_embed_member_pooled(region);
    show("state", 0);
    sem_post(&go_main);
    sem_wait(&go_worker);
    ora_embed_member_begin(region);
    ora_embed_member_end(region);
    ora_embed_member_leave(region);
    show("state", 0);
    sem_post(&go_main);
    sem_wait(&go_worker);
    show("state", 0);
    return NULL;
}

static void turn(void) {
    sem_post(&go_worker);
    sem_wait(&go_main);
}

static void tasks(void) {
    ora_embed_task implicit, nested, child, grandchild;
    ora_embed_mark creation, outer, inner, waiting;
    ora_embed_task_implicit(&implicit, NULL);
    ora_embed_task_create_begin(&child, &creation);
    ora_embed_task_create_end(&child, 0, &creation);
    ora_embed_wait_begin(ORA_EMBED_WAIT_CHILDREN, 0, &waiting);
    stretch(ORA_EMBED_TASK_SCHEDULE);
    stretch(ORA_EMBED_TASK_STEAL);
    ora_embed_task_fetched();
    ora_embed_task_begin(&child, &outer);
    ora_embed_task_create_begin(&grandchild, &creation);
    ora_embed_task_create_end(&grandchild, 1, &creation);
    ora_embed_task_begin(&grandchild, &inner);
    ora_embed_task_end(&inner);
    ora_embed_task_gone(&inner);
    ora_embed_task_end(&outer);
    ora_embed_task_gone(&outer);
    ora_embed_wait_end(&waiting);
    ora_embed_task_implicit(&nested, &implicit);
    show("state", 0);
    ora_embed_task_resume(&implicit);
    show("state", 0);
    ora_embed_task_implicit(NULL, NULL);
}

int main(void) {
    const ora_embed_region *outer;
    ora_embed_runtime about = {ORA_EMBED_VERSION, 8191, NULL};
    struct answer answer;
    pthread_t thread;
    int event;
    about.version++;
    printf("another version: %d\n", ora_embed_start(&about));
    about.version--;
    printf("embed: %d\n", ora_embed_start(&about));
    about.features = 0;
    printf("another runtime: %d\n", ora_embed_start(&about));
    printf("before START: %d\n", ask(OMP_REQ_STATE, 12).ec);
    printf("unknown request: %d\n", ask(99, 0).ec);
    printf("START: %d\n", ask(OMP_REQ_START, 0).ec);
    printf("again: %d\n", ask(OMP_REQ_START, 0).ec);
    printf("parent of a thread that is no master: %d\n", ask_elsewhere());
    for (event = 1; event <= 35; event++)
        if (reg(event, on_event) != OMP_ERRCODE_OK) printf("event %d is refused\n", event);
    printf("event 36: %d\n", reg(36, on_event));
    printf("no code: %d\n", reg(1, (void (*)(OMP_COLLECTORAPI_EVENT))(unsigned long)&about));
    answer = ask(OMP_REQ_CURRENT_PRID, 4);
    printf("4 bytes for a region: %d, needs %d\n", answer.ec, answer.rsz);
    answer = ask(OMP_REQ_TASK_ID, 4);
    printf("4 bytes for a task: %d, %d bytes\n", answer.ec, answer.rsz);
    sem_init(&go_worker, 0, 0);
    sem_init(&go_main, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    show("state", 0);

    outer = region = ora_embed_parallel_begin();
    turn();
    ora_embed_member_begin(region);
    wait_for(ORA_EMBED_WAIT_WORK_BARRIER, 502);
    wait_for(ORA_EMBED_WAIT_LOCK, 503);
    wait_for(ORA_EMBED_WAIT_NEST_LOCK, 504);
    wait_for(ORA_EMBED_WAIT_CRITICAL, 505);
    wait_for(ORA_EMBED_WAIT_ORDERED, 506);
    wait_for(ORA_EMBED_WAIT_ATOMIC, 507);
    stretch(ORA_EMBED_MASKED);
    stretch(ORA_EMBED_SINGLE);
    stretch(ORA_EMBED_ORDERED);
    stretch(ORA_EMBED_REDUCTION);
    stretch(ORA_EMBED_OVERHEAD);
    tasks();
    region = ora_embed_parallel_begin();
    ora_embed_member_begin(region);
    turn();
    ora_embed_member_end(region);
    ora_embed_parallel_end(region);
    sem_post(&go_worker);
    pthread_join(thread, NULL);
    ora_embed_member_end(outer);
    ora_embed_parallel_end(outer);

    ask(OMP_REQ_PAUSE, 0);
    ora_embed_parallel_end(ora_embed_parallel_begin());
    ask(OMP_REQ_RESUME, 0);
    reg(OMP_EVENT_JOIN, NULL);
    ora_embed_parallel_end(ora_embed_parallel_begin());
    ask(OMP_REQ_STOP, 0);
    ora_embed_parallel_end(ora_embed_parallel_begin());
    printf("after STOP: %d\n", ask(OMP_REQ_STATE, 12).ec);
    return 0;
}
