/* Archer, and what it lacks. Archer takes no notice of the iterations of doacross loops (ompt-tsan.cpp: "doacross dependences are
   not supported yet"), so it accuses right programs. This tool is the unmodified Archer that ARCHER_LIBRARY names, but for the
   dependences callback: sources and sinks it turns into ThreadSanitizer's order itself, all the rest goes to Archer. */
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCKS = 4096 };

typedef void (*annotate_t)(const char *file, int line, const volatile void *clock);
typedef ompt_start_tool_result_t *(*start_tool_t)(unsigned int omp_version, const char *runtime_version);

static long clocks[CLOCKS];
static annotate_t happens_before, happens_after;
static ompt_function_lookup_t runtimes_lookup;
static ompt_set_callback_t runtimes_set_callback;
static ompt_callback_dependences_t archers_dependences;
static ompt_start_tool_result_t *archer;

/* What an iteration releases and those that wait for it acquire. */
static long *clock_of(const ompt_dependence_t *iteration, int dimensions) {
    unsigned long key = 0;
    int d;
    for (d = 0; d < dimensions; d++)
        key = key * 61 + iteration[d].variable.value;
    return &clocks[key % CLOCKS];
}

static void on_dependences(ompt_data_t *task_data, const ompt_dependence_t *deps, int ndeps) {
    if (ndeps > 0 && deps[0].dependence_type == ompt_dependence_type_source)
        happens_before(__FILE__, __LINE__, clock_of(deps, ndeps));
    else if (ndeps > 0 && deps[0].dependence_type == ompt_dependence_type_sink)
        happens_after(__FILE__, __LINE__, clock_of(deps, ndeps));
    else
        archers_dependences(task_data, deps, ndeps);
}

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
    if (event == ompt_callback_dependences) {
        archers_dependences = (ompt_callback_dependences_t)callback;
        callback = (ompt_callback_t)on_dependences;
    }
    return runtimes_set_callback(event, callback);
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
    happens_before = (annotate_t)dlsym(RTLD_DEFAULT, "AnnotateHappensBefore");
    happens_after = (annotate_t)dlsym(RTLD_DEFAULT, "AnnotateHappensAfter");
    archer = start && happens_before && happens_after ? start(omp_version, runtime_version) : NULL;
    if (!archer) {
        fprintf(stderr, "no Archer: ARCHER_LIBRARY is %s\n", path ? path : "not set");
        return NULL;
    }
    result = *archer;
    result.initialize = initialize;
    return &result;
}
