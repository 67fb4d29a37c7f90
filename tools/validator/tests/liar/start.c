/* How the liar comes between the two: it is found first, and finds the validator behind it. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "liar.h"

static ompt_function_lookup_t real_lookup;
static ompt_start_tool_result_t *behind;
static ompt_start_tool_result_t result;

int lies(const char *name) {
    const char *lie = getenv("LIE");
    return lie && strcmp(lie, name) == 0;
}

int lies_once(const char *name) {
    static atomic_int told;
    return lies(name) && atomic_fetch_add(&told, 1) == 0;
}

int strict(void) {
    const char *value = getenv("STRICT");
    return value && *value == '1';
}

static ompt_interface_fn_t lookup(const char *name) {
    if (lies("lookup_null") && strcmp(name, "ompt_get_task_memory") == 0)
        return NULL;
    return entry_point(name, real_lookup(name));
}

static int initialize(ompt_function_lookup_t real, int device, ompt_data_t *data) {
    real_lookup = real;
    return behind->initialize(lookup, device, data);
}

static void finalize(ompt_data_t *data) {
    behind->finalize(data);
    if (lies("finalize_twice"))
        behind->finalize(data);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    ompt_start_tool_result_t *(*next)(unsigned int, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
    behind = next ? next(version, strict() ? "a runtime" : runtime) : NULL;
    result.initialize = initialize;
    result.finalize = finalize;
    return behind ? &result : NULL;
}
