/* A tool of TR2 (2014) that records everything: each callback with its arguments, and the answers of all entry points in it. It is written
 * to the file named by ORA_TEST_TRACE, with the process id appended, when the runtime shuts down.
 *
 * TR2_EVENTS: "all" (the default), "none", or numbers with blanks between; TR2_ANSWER: what ompt_initialize returns;
 * TR2_EXIT: the exit code that the shutdown callback ends the process with; TRACE_SAMPLE: signals in
 * whose handler all entry points are called. */
#include <ompt_tr2.h>

#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Pages are touched only when they are filled. */
#define SLOTS (1u << 19)
#define LAST ompt_event_flush
#define DEEP 30

struct record {
    uint64_t arguments[5], wait, regions[2], tasks[2], thread;
    void *frame, *exit, *reenter, *idle;
    int tid, event, state, size, done;
};

static struct record *records;
static uint64_t next_record;
static int calls, answers[LAST + 1], too_late;
static char version[256];
static unsigned interface;

static ompt_set_callback_t set_callback;
static ompt_get_callback_t get_callback;
static ompt_enumerate_state_t enumerate_state;
static ompt_get_thread_id_t get_thread_id;
static ompt_get_state_t get_state;
static ompt_get_idle_frame_t get_idle_frame;
static ompt_get_parallel_id_t get_parallel_id;
static ompt_get_parallel_team_size_t get_team_size;
static ompt_get_task_id_t get_task_id;
static ompt_get_task_frame_t get_task_frame;

static int thread_number(void) { return (int)syscall(SYS_gettid); }

static void add(int event, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e) {
    uint64_t i = __atomic_fetch_add(&next_record, 1, __ATOMIC_ACQ_REL);
    struct record *r = &records[i];
    const ompt_frame_t *frame;
    if (i >= SLOTS) return;
    r->arguments[0] = a, r->arguments[1] = b, r->arguments[2] = c, r->arguments[3] = d, r->arguments[4] = e;
    r->event = event;
    r->tid = thread_number();
    r->thread = get_thread_id();
    r->state = (int)get_state(&r->wait);
    r->regions[0] = get_parallel_id(0), r->regions[1] = get_parallel_id(1);
    r->size = get_team_size(0);
    r->tasks[0] = get_task_id(0), r->tasks[1] = get_task_id(1);
    r->idle = get_idle_frame();
    frame = get_task_frame(0);
    r->frame = (void *)(uintptr_t)frame;
    r->exit = frame ? frame->exit_runtime_frame : NULL;
    r->reenter = frame ? frame->reenter_runtime_frame : NULL;
    __atomic_store_n(&r->done, 1, __ATOMIC_RELEASE);
    errno = 99;
}

static unsigned long samples, torn[8];

static void must(int rule, int holds) {
    if (!holds) __atomic_add_fetch(&torn[rule], 1, __ATOMIC_RELAXED);
}

/* The interrupted thread stands still, so repeated answers are the same, and all answers belong together. There is one exception: the
 * primary thread may end the barrier at which it waits, and it becomes idle. */
static void sample(void) {
    ompt_wait_id_t wait = 77, again = 78;
    int state = (int)get_state(&wait), error = errno, depth, let_go;
    uint64_t region = get_parallel_id(0), thread = get_thread_id();
    int same = state == (int)get_state(&again) && wait == again && region == get_parallel_id(0);
    int has_both = (get_task_id(0) == 0) == (get_task_frame(0) == NULL);
    must(1, wait == 0 || (state >= ompt_state_wait_barrier && state <= ompt_state_wait_ordered));
    must(3, state != ompt_state_idle || (region == 0 && get_task_id(0) == 0 && get_team_size(0) == -1));
    must(4, thread != 0 || (get_task_id(0) == 0 && !get_idle_frame()));
    must(5, region != 0 || get_team_size(0) == -1);
    /* Not all levels of a deep recursion, as the next signal comes soon. */
    for (depth = 0; depth < DEEP && get_task_id(depth) != 0; depth++) {
        ompt_frame_t *frame = get_task_frame(depth), copy;
        if (frame) copy = *frame, (void)copy;
        (void)get_parallel_id(depth), (void)get_team_size(depth);
    }
    must(6, depth == DEEP || !get_task_frame(depth));
    must(7, errno == error);
    let_go = state == ompt_state_wait_barrier_implicit && get_state(&again) == ompt_state_idle;
    must(0, same || let_go);
    must(2, has_both || let_go);
    __atomic_add_fetch(&samples, 1, __ATOMIC_RELAXED);
}

static void write_out(void) {
    char path[4096];
    FILE *file;
    uint64_t count = __atomic_load_n(&next_record, __ATOMIC_ACQUIRE), i;
    int state = ompt_state_first, event;
    const char *name;
    if (!getenv("ORA_TEST_TRACE")) return;
    snprintf(path, sizeof path, "%s.%d", getenv("ORA_TEST_TRACE"), (int)getpid());
    file = fopen(path, "w");
    if (!file) {
        perror(path);
        return;
    }
    fprintf(file, "# calls %d\n# interface %u\n# too_late %d\n# version %s\n# lost %d\n", calls, interface, too_late, version,
            count > SLOTS);
    fprintf(file, "# samples %lu torn", samples);
    for (event = 0; event < 8; event++) fprintf(file, " %lu", torn[event]);
    fprintf(file, "\n");
    while (enumerate_state(state, &state, &name)) fprintf(file, "# state %d %s\n", state, name);
    for (event = 1; event <= LAST; event++) {
        ompt_callback_t callback = NULL;
        fprintf(file, "# answer %d %d %d\n", event, answers[event], get_callback((ompt_event_t)event, &callback));
    }
    for (i = 0; i < count && i < SLOTS; i++) {
        const struct record *r = &records[i];
        int k;
        /* A thread that is still running may be in the middle of its record, which is not part of the trace. */
        if (!__atomic_load_n(&r->done, __ATOMIC_ACQUIRE)) continue;
        fprintf(file, "%llu %d %d", (unsigned long long)i, r->tid, r->event);
        for (k = 0; k < 5; k++) fprintf(file, " %llu", (unsigned long long)r->arguments[k]);
        fprintf(file, " %llu %d %llu %llu %llu %d %llu %llu", (unsigned long long)r->thread, r->state,
                (unsigned long long)r->wait, (unsigned long long)r->regions[0], (unsigned long long)r->regions[1], r->size,
                (unsigned long long)r->tasks[0], (unsigned long long)r->tasks[1]);
        fprintf(file, " %llu %llu %llu %llu\n", (unsigned long long)(uintptr_t)r->frame,
                (unsigned long long)(uintptr_t)r->exit, (unsigned long long)(uintptr_t)r->reenter,
                (unsigned long long)(uintptr_t)r->idle);
    }
    fclose(file);
}

static void on_shutdown(void) {
    const char *code = getenv("TR2_EXIT");
    add(ompt_event_runtime_shutdown, 0, 0, 0, 0, 0);
    too_late = set_callback(ompt_event_runtime_shutdown, on_shutdown);
    write_out();
    if (code) _exit(atoi(code));
}

static void on_parallel_begin(ompt_task_id_t task, ompt_frame_t *frame, ompt_parallel_id_t region, uint32_t requested,
                              void *function) {
    add(ompt_event_parallel_begin, task, (uint64_t)(uintptr_t)frame, region, requested, (uint64_t)(uintptr_t)function);
}

static void on_task_begin(ompt_task_id_t parent, ompt_frame_t *frame, ompt_task_id_t task, void *function) {
    add(ompt_event_task_begin, parent, (uint64_t)(uintptr_t)frame, task, (uint64_t)(uintptr_t)function, 0);
}

#define ONE(name) \
    static void on_##name(uint64_t id) { add(ompt_event_##name, id, 0, 0, 0, 0); }
#define TWO(name) \
    static void on_##name(uint64_t region, uint64_t task) { add(ompt_event_##name, region, task, 0, 0, 0); }
#define WORK(name) \
    static void on_##name(uint64_t region, uint64_t task, void *function) { \
        add(ompt_event_##name, region, task, (uint64_t)(uintptr_t)function, 0, 0); \
    }
#define THREAD(name) \
    static void on_##name(ompt_thread_type_t type, ompt_thread_id_t thread) { \
        add(ompt_event_##name, (uint64_t)type, thread, 0, 0, 0); \
    }

#define OF_ONE(DO) \
    DO(task_end) DO(idle_begin) DO(idle_end) DO(release_lock) DO(release_nest_lock_last) DO(release_critical) \
    DO(release_atomic) DO(release_ordered) DO(initial_task_begin) DO(initial_task_end) DO(release_nest_lock_prev) \
    DO(wait_lock) DO(wait_nest_lock) DO(wait_critical) DO(wait_atomic) DO(wait_ordered) DO(acquired_lock) \
    DO(acquired_nest_lock_first) DO(acquired_nest_lock_next) DO(acquired_critical) DO(acquired_atomic) \
    DO(acquired_ordered) DO(init_lock) DO(init_nest_lock) DO(destroy_lock) DO(destroy_nest_lock) DO(flush)
#define OF_TWO(DO) \
    DO(parallel_end) DO(control) DO(wait_barrier_begin) DO(wait_barrier_end) DO(wait_taskwait_begin) \
    DO(wait_taskwait_end) DO(wait_taskgroup_begin) DO(wait_taskgroup_end) DO(implicit_task_begin) \
    DO(implicit_task_end) DO(task_switch) DO(loop_end) DO(sections_end) DO(single_in_block_end) \
    DO(single_others_begin) DO(single_others_end) DO(workshare_end) DO(master_begin) DO(master_end) \
    DO(barrier_begin) DO(barrier_end) DO(taskwait_begin) DO(taskwait_end) DO(taskgroup_begin) DO(taskgroup_end)
#define OF_WORK(DO) DO(loop_begin) DO(sections_begin) DO(single_in_block_begin) DO(workshare_begin)
#define OF_THREADS(DO) DO(thread_begin) DO(thread_end)

OF_ONE(ONE)
OF_TWO(TWO)
OF_WORK(WORK)
OF_THREADS(THREAD)

static int is_wanted(int event) {
    const char *list = getenv("TR2_EVENTS");
    char padded[1024], number[16];
    if (event == ompt_event_runtime_shutdown || !list || strcmp(list, "all") == 0) return 1;
    snprintf(padded, sizeof padded, " %s ", list);
    snprintf(number, sizeof number, " %d ", event);
    return strstr(padded, number) != NULL;
}

static void want(int event, ompt_callback_t callback) {
    if (is_wanted(event)) answers[event] = set_callback((ompt_event_t)event, callback);
}

#define WANT(name) want(ompt_event_##name, (ompt_callback_t)on_##name);

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version) {
    const char *answer = getenv("TR2_ANSWER");
    void *memory = mmap(NULL, SLOTS * sizeof(struct record), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) abort();
    /* A forked child starts anew. */
    records = (struct record *)memory;
    next_record = 0;
    calls++;
    interface = ompt_version;
    snprintf(version, sizeof version, "%s", runtime_version);
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
    enumerate_state = (ompt_enumerate_state_t)lookup("ompt_enumerate_state");
    get_thread_id = (ompt_get_thread_id_t)lookup("ompt_get_thread_id");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_idle_frame = (ompt_get_idle_frame_t)lookup("ompt_get_idle_frame");
    get_parallel_id = (ompt_get_parallel_id_t)lookup("ompt_get_parallel_id");
    get_team_size = (ompt_get_parallel_team_size_t)lookup("ompt_get_parallel_team_size");
    get_task_id = (ompt_get_task_id_t)lookup("ompt_get_task_id");
    get_task_frame = (ompt_get_task_frame_t)lookup("ompt_get_task_frame");
    want(ompt_event_runtime_shutdown, on_shutdown);
    WANT(parallel_begin)
    WANT(task_begin)
    OF_ONE(WANT)
    OF_TWO(WANT)
    OF_WORK(WANT)
    OF_THREADS(WANT)
    sampler_start(sample);
    fprintf(stderr, "tr2: initialized in %s\n", getenv("TR2_CHILD") ? "the child" : "the process");
    return answer ? atoi(answer) : 1;
}
