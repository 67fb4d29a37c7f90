/* Archer, deaf to one event: an OMPT tool that wraps the Archer which ARCHER_LIBRARY names, but doesn't pass on the event that DEAF_TO
   names. With it a correct program that needs that event must be accused, or the program doesn't test what it is for. */
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef ompt_start_tool_result_t *(*start_tool_t)(unsigned int omp_version, const char *runtime_version);

static const char *deaf_to;
static ompt_function_lookup_t runtimes_lookup;
static ompt_set_callback_t runtimes_set_callback;
static ompt_start_tool_result_t *archer;
static ompt_callback_sync_region_t sync_region;
static ompt_callback_mutex_t acquired, released;
static ompt_callback_task_create_t task_create;
static ompt_callback_task_schedule_t task_schedule;
static ompt_callback_dependences_t dependences;

static int is_deaf_to(const char *what) { return strcmp(deaf_to, what) == 0; }

static const char *name_of_region(ompt_sync_region_t kind) {
    switch (kind) {
    case ompt_sync_region_barrier_explicit:
        return "barrier";
    case ompt_sync_region_barrier_implicit_workshare:
        return "barrier of a work-sharing construct";
    case ompt_sync_region_barrier_implicit_parallel:
        return "barrier of a region";
    case ompt_sync_region_taskwait:
        return "taskwait";
    case ompt_sync_region_taskgroup:
        return "taskgroup";
    default:
        return "";
    }
}

static const char *name_of_mutex(ompt_mutex_t kind) {
    switch (kind) {
    case ompt_mutex_lock:
        return "lock";
    case ompt_mutex_test_lock:
        return "test_lock";
    case ompt_mutex_nest_lock:
        return "nest_lock";
    case ompt_mutex_critical:
        return "critical";
    case ompt_mutex_atomic:
        return "atomic";
    case ompt_mutex_ordered:
        return "ordered";
    default:
        return "";
    }
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                           ompt_data_t *task_data, const void *codeptr_ra) {
    if (!is_deaf_to(name_of_region(kind)))
        sync_region(kind, endpoint, parallel_data, task_data, codeptr_ra);
}
static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra) {
    if (!is_deaf_to(name_of_mutex(kind)))
        acquired(kind, wait_id, codeptr_ra);
}
static void on_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra) {
    if (!is_deaf_to(name_of_mutex(kind)))
        released(kind, wait_id, codeptr_ra);
}
static void on_task_create(ompt_data_t *task_data, const ompt_frame_t *frame, ompt_data_t *new_task_data, int flags,
                           int has_dependences, const void *codeptr_ra) {
    /* Nothing is ordered by the creation of an undeferred task. */
    if (is_deaf_to("deferred tasks"))
        flags |= ompt_task_undeferred;
    task_create(task_data, frame, new_task_data, flags, has_dependences, codeptr_ra);
}
static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    if (!is_deaf_to("task_schedule"))
        task_schedule(prior, status, next);
}
static void on_dependences(ompt_data_t *task_data, const ompt_dependence_t *deps, int ndeps) {
    if (!is_deaf_to("dependences"))
        dependences(task_data, deps, ndeps);
}

#define INSTEAD(event, archers, ours)        \
    case event:                              \
        archers = (__typeof__(archers))call; \
        call = (ompt_callback_t)ours;        \
        break

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t call) {
    switch (event) {
        INSTEAD(ompt_callback_sync_region, sync_region, on_sync_region);
        INSTEAD(ompt_callback_mutex_acquired, acquired, on_acquired);
        INSTEAD(ompt_callback_mutex_released, released, on_released);
        INSTEAD(ompt_callback_task_create, task_create, on_task_create);
        INSTEAD(ompt_callback_task_schedule, task_schedule, on_task_schedule);
        INSTEAD(ompt_callback_dependences, dependences, on_dependences);
    default:
        break;
    }
    return runtimes_set_callback(event, call);
}

static ompt_interface_fn_t lookup(const char *name) {
    if (strcmp(name, "ompt_set_callback") == 0)
        return (ompt_interface_fn_t)set_callback;
    return runtimes_lookup(name);
}

static int initialize(ompt_function_lookup_t from_runtime, int device, ompt_data_t *tool_data) {
    runtimes_lookup = from_runtime;
    runtimes_set_callback = (ompt_set_callback_t)from_runtime("ompt_set_callback");
    return archer->initialize(lookup, device, tool_data);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version) {
    static ompt_start_tool_result_t result;
    const char *path = getenv("ARCHER_LIBRARY");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    start_tool_t start = library ? (start_tool_t)dlsym(library, "ompt_start_tool") : NULL;
    deaf_to = getenv("DEAF_TO");
    archer = start && deaf_to ? start(omp_version, runtime_version) : NULL;
    if (!archer) {
        fprintf(stderr, "no Archer: ARCHER_LIBRARY is %s\n", path ? path : "not set");
        return NULL;
    }
    result = *archer;
    result.initialize = initialize;
    return &result;
}
