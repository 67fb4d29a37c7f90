/* Entry of the fault injector: the runtime finds its ompt_start_tool first, and it finds the validator's behind it. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "injector.h"

static ompt_function_lookup_t real_lookup;
static ompt_start_tool_result_t *behind;
static ompt_start_tool_result_t result;

int fault_is(const char *name) {
    const char *fault = getenv("FAULT");
    return fault && strcmp(fault, name) == 0;
}

int fault_once(const char *name) {
    static atomic_int injected;
    return fault_is(name) && atomic_fetch_add(&injected, 1) == 0;
}

int strict(void) {
    const char *value = getenv("STRICT");
    return value && *value == '1';
}

static ompt_interface_fn_t lookup(const char *name) {
    if (fault_is("lookup_null") && strcmp(name, "ompt_get_task_memory") == 0)
        return NULL;
    return entry_point(name, real_lookup(name));
}

static int initialize(ompt_function_lookup_t real, int device, ompt_data_t *data) {
    real_lookup = real;
    return behind->initialize(lookup, device, data);
}

static void finalize(ompt_data_t *data) {
    behind->finalize(data);
    if (fault_is("finalize_twice"))
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
