/* A tool of OpenMP 5 that writes a line for each callback, with all of its arguments. Threads, regions and tasks are named t1, r1, k1, ...
 * in order of appearance, by their data words; "new" words must be empty, or the line contains "dirty".
 *
 * ORA_TEST_TRACE   the file to append to; the process id is appended to its name
 * TRACE5_ONLY      the callbacks to register, separated by commas; default: all
 * TRACE5_SCHEDULES also writes the schedules of loops
 * TRACE5_PLACES    also writes where threads are bound
 * TRACE5_DECLINE   "start" or "initialize": where to decline
 *
 * Compiled with TRACE5_MARK, the file's name ends with that mark, so that several copies can watch one process.
 *
 * omp_control_tool(1, 0, 0) registers everything, (2, 0, 0) unregisters everything, (4, 0, 0) finalizes the tool. */
#include <omp-tools.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TRACE5_MARK
#define TRACE5_MARK ""
#endif

static ompt_set_callback_t set_callback;
static ompt_get_callback_t get_callback;
static ompt_get_thread_data_t get_thread_data;
static ompt_finalize_tool_t finalize_tool;
static ompt_get_num_procs_t get_num_procs;
static ompt_get_num_places_t get_num_places;
static ompt_get_place_proc_ids_t get_place_proc_ids;
static ompt_get_place_num_t get_place_num;
static ompt_get_partition_place_nums_t get_partition_place_nums;

static uint64_t last[3];

/* Name of the word; an empty word gets the next number of its kind. */
static const char *name_of(char *room, ompt_data_t *word, int is_new, char kind) {
    uint64_t *count = &last[kind == 't' ? 0 : kind == 'r' ? 1 : 2];
    if (!word) return "-";
    if (is_new && word->value) return "dirty";
    if (is_new) word->value = __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    if (!word->value) return "empty";
    sprintf(room, "%c%" PRIu64, kind, word->value);
    return room;
}

#define NAME(word, is_new, kind) name_of((char[24]){0}, word, is_new, kind)
#define THREAD(word) NAME(word, 0, 't')
#define REGION(word) NAME(word, 0, 'r')
#define TASK(word) NAME(word, 0, 'k')

static void say(const char *format, ...) {
    char line[1024], path[1024], room[24];
    int length, file;
    va_list rest;
    if (!getenv("ORA_TEST_TRACE")) return;
    snprintf(path, sizeof path, "%s.%d" TRACE5_MARK, getenv("ORA_TEST_TRACE"), (int)getpid());
    length = sprintf(line, "%s ", name_of(room, get_thread_data ? get_thread_data() : NULL, 0, 't'));
    va_start(rest, format);
    length += vsnprintf(line + length, sizeof line - 2 - (size_t)length, format, rest);
    va_end(rest);
    line[length++] = '\n';
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, line, (size_t)length) != length) abort();
    close(file);
}

static const char *endpoint(ompt_scope_endpoint_t at) {
    return at == ompt_scope_begin ? "begin" : at == ompt_scope_end ? "end" : "both";
}

/* Whether an address is passed; its value differs from build to build. */
static const char *code(const void *address) { return address ? "code" : "-"; }

static const char *frame(const ompt_frame_t *f) {
    return f->enter_frame.ptr ? f->exit_frame.ptr ? "exit+enter" : "enter" : f->exit_frame.ptr ? "exit" : "none";
}

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *thread) {
    const char *name = NAME(thread, 1, 't');
    say("thread_begin %s %s", name, kind == ompt_thread_initial ? "initial" : kind == ompt_thread_worker ? "worker" : "other");
}

static void on_thread_end(ompt_data_t *thread) { say("thread_end %s", THREAD(thread)); }

/* Place to which the thread is bound, and the places that it may pass on, with all their processors. */
static void say_places(const char *when) {
    int nums[64], ids[64], i, p, size = get_partition_place_nums(64, nums);
    char text[512] = "";
    if (!getenv("TRACE5_PLACES")) return;
    for (p = 0; p < size && p < 64; p++) {
        int count = get_place_proc_ids(nums[p], 64, ids);
        sprintf(text + strlen(text), " %d{", nums[p]);
        for (i = 0; i < count && i < 64; i++) sprintf(text + strlen(text), i ? ",%d" : "%d", ids[i]);
        strcat(text, "}");
    }
    say("places %s %d of %d on %d:%s", when, get_place_num(), get_num_places(), get_num_procs(), text);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *f, ompt_data_t *region, unsigned requested, int flags,
                              const void *ra) {
    const char *name = NAME(region, 1, 'r');
    say("parallel_begin %s %s %s requested=%u flags=%x %s", TASK(task), frame(f), name, requested, (unsigned)flags, code(ra));
}

static void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *ra) {
    say("parallel_end %s %s flags=%x %s", REGION(region), TASK(task), (unsigned)flags, code(ra));
    say_places("after");
}

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task, unsigned size, unsigned index,
                             int flags) {
    const char *name;
    if (at == ompt_scope_begin && flags & ompt_task_initial) NAME(region, 1, 'r');
    name = NAME(task, at == ompt_scope_begin, 'k');
    say("implicit_task %s %s %s size=%u index=%u flags=%x", endpoint(at), REGION(region), name, size, index, (unsigned)flags);
    if (at == ompt_scope_begin) say_places(flags & ompt_task_initial ? "before" : "in");
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *f, ompt_data_t *task, int flags, int depends,
                           const void *ra) {
    const char *name = NAME(task, 1, 'k');
    say("task_create %s %s %s flags=%x depends=%d %s", TASK(creator), frame(f), name, (unsigned)flags, depends, code(ra));
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    static const char *const words[] = {"?", "complete", "yield", "cancel", "detach", "early", "late", "switch", "taskwait"};
    say("task_schedule %s %s %s", TASK(prior), words[status], TASK(next));
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int count) {
    static const char *const words[] = {"?", "in", "out", "inout", "mutexinoutset", "source", "sink", "inoutset"};
    char text[512] = "";
    int i;
    for (i = 0; i < count; i++) strcat(strcat(text, " "), words[list[i].dependence_type]);
    say("dependences %s%s", TASK(task), text);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task, uint64_t count,
                    const void *ra) {
    static const char *const words[] = {"?",          "loop",     "sections", "single", "single_other", "workshare",
                                        "distribute", "taskloop", "scope",    "?",      "loop",         "loop",
                                        "loop",       "loop"};
    static const char *const schedules[] = {"static", "dynamic", "guided", "other"};
    if (getenv("TRACE5_SCHEDULES") && at == ompt_scope_begin)
        say("schedule %s", kind >= ompt_work_loop_static ? schedules[kind - ompt_work_loop_static] : words[kind]);
    say("work %s %s %s %s count=%" PRIu64 " %s", words[kind], endpoint(at), REGION(region), TASK(task), count, code(ra));
}

static void on_dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
    const ompt_dispatch_chunk_t *chunk = instance.ptr;
    if (kind == ompt_dispatch_section)
        say("dispatch section %s %s %s %" PRIxPTR, REGION(region), TASK(task), code(instance.ptr), (uintptr_t)instance.ptr);
    else
        say("dispatch chunk %s %s %" PRIu64 "+%" PRIu64, REGION(region), TASK(task), chunk->start, chunk->iterations);
}

static void on_sync(const char *what, ompt_sync_region_t kind, ompt_scope_endpoint_t at, ompt_data_t *region,
                    ompt_data_t *task, const void *ra) {
    static const char *const words[] = {"?",        "barrier",   "implicit",  "explicit", "implementation", "taskwait",
                                        "taskgroup", "reduction", "workshare", "parallel", "teams"};
    say("%s %s %s %s %s %s", what, words[kind], endpoint(at), REGION(region), TASK(task), code(ra));
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task,
                           const void *ra) {
    on_sync("sync_region", kind, at, region, task, ra);
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task,
                                const void *ra) {
    on_sync("sync_region_wait", kind, at, region, task, ra);
}

static const char *mutex(ompt_mutex_t kind) {
    static const char *const words[] = {"?",        "lock",   "test_lock", "nest_lock", "test_nest_lock",
                                        "critical", "atomic", "ordered"};
    return words[kind];
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *ra) {
    say("mutex_acquire %s hint=%u impl=%u %" PRIx64 " %s", mutex(kind), hint, impl, wait, code(ra));
}

static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *ra) {
    say("lock_init %s hint=%u impl=%u %" PRIx64 " %s", mutex(kind), hint, impl, wait, code(ra));
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *ra) {
    say("mutex_acquired %s %" PRIx64 " %s", mutex(kind), wait, code(ra));
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *ra) {
    say("mutex_released %s %" PRIx64 " %s", mutex(kind), wait, code(ra));
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait, const void *ra) {
    say("lock_destroy %s %" PRIx64 " %s", mutex(kind), wait, code(ra));
}

static void on_nest_lock(ompt_scope_endpoint_t at, ompt_wait_id_t wait, const void *ra) {
    say("nest_lock %s %" PRIx64 " %s", endpoint(at), wait, code(ra));
}

static void on_cancel(ompt_data_t *task, int flags, const void *ra) {
    say("cancel %s flags=%x %s", TASK(task), (unsigned)flags, code(ra));
}

static void register_all(int on);

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *ra) {
    say("control_tool %" PRIu64 " %" PRIu64 " %s %s", command, modifier, argument ? "argument" : "-", code(ra));
    if (command == 1 || command == 2) register_all(command == 1);
    if (command == 4) finalize_tool();
    return 42;
}

static const struct {
    const char *name;
    ompt_callbacks_t event;
    ompt_callback_t function;
} callbacks[] = {
#define ROW(name) {#name, ompt_callback_##name, (ompt_callback_t)on_##name}
    ROW(thread_begin),   ROW(thread_end),     ROW(parallel_begin), ROW(parallel_end),     ROW(implicit_task),
    ROW(task_create),    ROW(task_schedule),  ROW(dependences),    ROW(work),             ROW(dispatch),
    ROW(mutex_acquire),  ROW(mutex_acquired), ROW(mutex_released), ROW(sync_region_wait), ROW(sync_region),
    ROW(lock_init),      ROW(lock_destroy),   ROW(nest_lock),      ROW(cancel),           ROW(control_tool),
};

/* True if a list of names contains this one. */
static int lists(const char *list, const char *name) {
    size_t length = strlen(name);
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (strncmp(list, name, length) == 0 && (list[length] == ',' || list[length] == 0)) return 1;
    return 0;
}

/* All except control_tool come and go. */
static void register_all(int on) {
    size_t i;
    for (i = 0; i < sizeof callbacks / sizeof *callbacks; i++) {
        ompt_callback_t now = NULL;
        int answer;
        if (callbacks[i].event == ompt_callback_control_tool) continue;
        answer = set_callback(callbacks[i].event, on ? callbacks[i].function : NULL);
        if (get_callback(callbacks[i].event, &now) != on || (on && now != callbacks[i].function)) abort();
        if (on ? answer < ompt_set_sometimes : answer != ompt_set_always) abort();
    }
}

static int on_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
    const char *only = getenv("TRACE5_ONLY"), *decline = getenv("TRACE5_DECLINE");
    size_t i;
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
    get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
    get_num_procs = (ompt_get_num_procs_t)lookup("ompt_get_num_procs");
    get_num_places = (ompt_get_num_places_t)lookup("ompt_get_num_places");
    get_place_proc_ids = (ompt_get_place_proc_ids_t)lookup("ompt_get_place_proc_ids");
    get_place_num = (ompt_get_place_num_t)lookup("ompt_get_place_num");
    get_partition_place_nums = (ompt_get_partition_place_nums_t)lookup("ompt_get_partition_place_nums");
    for (i = 0; i < sizeof callbacks / sizeof *callbacks; i++) {
        if (only && !lists(only, callbacks[i].name)) continue;
        say("set %s %d", callbacks[i].name, (int)set_callback(callbacks[i].event, callbacks[i].function));
    }
    say("initialize device=%d data=%" PRIu64, device, tool->value);
    return !decline || strcmp(decline, "initialize") != 0;
}

static void on_finalize(ompt_data_t *tool) { say("finalize data=%" PRIu64, tool->value); }

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version) {
    static ompt_start_tool_result_t result = {on_initialize, on_finalize, {7}};
    const char *decline = getenv("TRACE5_DECLINE");
    say("start %u %s", omp_version, runtime_version);
    return decline && strcmp(decline, "start") == 0 ? NULL : &result;
}
