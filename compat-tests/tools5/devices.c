/* A tool of OpenMP 5 that writes a line for each callback about devices, leagues and error directives, to stderr.
 *
 * DEVICES_PLAIN   registers no callback with "emi" in its name
 * DEVICES_TASKS   writes instead a line for each event of a target task, and for each target construct with its tasks
 *
 * Ids of constructs and operations are the tool's own if it has to assign them; otherwise 1 stands for any. */
#include <omp-tools.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static ompt_get_target_info_t get_target_info;
static ompt_get_num_devices_t get_num_devices;
static ompt_get_task_info_t get_task_info;
static uint64_t constructs, operations;

static const char *endpoint(ompt_scope_endpoint_t at) { return at == ompt_scope_begin ? "begin" : "end"; }

static const char *construct(ompt_target_t kind) {
    static const char *const words[] = {"?", "target",        "enter",        "exit",        "update", "?", "?", "?", "?",
                                        "target_nowait", "enter_nowait", "exit_nowait", "update_nowait"};
    return words[kind];
}

static const char *operation(ompt_target_data_op_t kind) {
    static const char *const words[] = {"?", "alloc", "to_device", "from_device", "delete", "associate", "disassociate",
                                        "transfer", "memset", "transfer_rect"};
    if (kind == ompt_target_data_transfer_async) return "transfer_async";
    if (kind == ompt_target_data_transfer_rect_async) return "transfer_rect_async";
    return kind == ompt_target_data_transfer_to_device_async ? "to_device_async" : words[kind];
}

/* Result of the query inside a callback: "none", or device and operation. */
static const char *now(void) {
    static char text[64];
    uint64_t device;
    ompt_id_t target, host_operation;
    if (!get_target_info(&device, &target, &host_operation)) return "none";
    sprintf(text, "%s%" PRIu64 "/%" PRIu64 "/%d", target ? "" : "!", device, host_operation, get_num_devices());
    return text;
}

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t at, int device, ompt_data_t *task,
                          ompt_data_t *target_task, ompt_data_t *target, const void *ra) {
    if (at == ompt_scope_begin) target->value = target->value ? 99 : ++constructs;
    fprintf(stderr, "%s %s device=%d number=%" PRIu64 " task=%d target_task=%d code=%d now=%s\n", construct(kind),
            endpoint(at), device, target->value, !!task, !!target_task, !!ra, now());
}

static uint64_t tasks;

static uint64_t task_number(ompt_data_t *task) {
    if (task && !task->value) task->value = ++tasks;
    return task ? task->value : 0;
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int depends,
                           const void *ra) {
    uint64_t by = task_number(creator);
    if (!(flags & ompt_task_target)) return;
    fprintf(stderr, "create=%" PRIu64 " by=%" PRIu64 " flags=%x depends=%d code=%d frame=%d\n", task_number(task), by,
            (unsigned)flags, depends, !!ra, !!frame->enter_frame.ptr);
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int count) {
    if (!task->value) return;
    fprintf(stderr, "dependences=%d of=%" PRIu64 " first=%d at=%d\n", count, task->value, (int)list->dependence_type,
            !!list->variable.ptr);
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    int number, flags = 0;
    ompt_data_t *task;
    /* The task that begins or ends is a target task. */
    if (get_task_info(0, &flags, &task, NULL, NULL, &number) && next && flags & ompt_task_target)
        fprintf(stderr, "schedule=%d from=%" PRIu64 " to=%" PRIu64 "\n", (int)status, prior->value, next->value);
}

static void on_target_with_task(ompt_target_t kind, ompt_scope_endpoint_t at, int device, ompt_data_t *task,
                                ompt_data_t *target_task, ompt_data_t *target, const void *ra) {
    (void)device, (void)target, (void)ra;
    fprintf(stderr, "%s %s task=%" PRIu64 " target_task=%" PRIu64 "\n", construct(kind), endpoint(at), task ? task->value : 99,
            target_task ? target_task->value : 0);
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t at, int device, ompt_data_t *task, ompt_id_t target,
                      const void *ra) {
    fprintf(stderr, "%s %s device=%d number=%d task=%d code=%d\n", construct(kind), endpoint(at), device, !!target, !!task,
            !!ra);
}

static void on_target_data_op_emi(ompt_scope_endpoint_t at, ompt_data_t *target_task, ompt_data_t *target,
                                  ompt_id_t *host_operation, ompt_target_data_op_t kind, void *from, int from_device,
                                  void *to, int to_device, size_t bytes, const void *ra) {
    if (at == ompt_scope_begin) *host_operation = *host_operation ? 99 : ++operations;
    fprintf(stderr, "%s %s number=%" PRIu64 " in=%" PRIu64 " from=%d@%d to=%d@%d bytes=%zu target_task=%d code=%d now=%s\n",
            operation(kind), endpoint(at), *host_operation, target ? target->value : 0, !!from, from_device, !!to, to_device,
            bytes, !!target_task, !!ra, now());
}

static void on_target_data_op(ompt_id_t target, ompt_id_t host_operation, ompt_target_data_op_t kind, void *from,
                              int from_device, void *to, int to_device, size_t bytes, const void *ra) {
    fprintf(stderr, "%s number=%d in=%d from=%d@%d to=%d@%d bytes=%zu code=%d\n", operation(kind), !!host_operation, !!target,
            !!from, from_device, !!to, to_device, bytes, !!ra);
}

static void on_target_submit_emi(ompt_scope_endpoint_t at, ompt_data_t *target, ompt_id_t *host_operation,
                                 unsigned teams) {
    if (at == ompt_scope_begin) *host_operation = *host_operation ? 99 : ++operations;
    fprintf(stderr, "submit %s number=%" PRIu64 " in=%" PRIu64 " teams=%u\n", endpoint(at), *host_operation, target->value,
            teams);
}

static void on_target_submit(ompt_id_t target, ompt_id_t host_operation, unsigned teams) {
    fprintf(stderr, "submit number=%d in=%d teams=%u\n", !!host_operation, !!target, teams);
}

static void on_error(ompt_severity_t severity, const char *message, size_t length, const void *ra) {
    fprintf(stderr, "error %s \"%.*s\" length=%zu code=%d\n", severity == ompt_fatal ? "fatal" : "warning", (int)length,
            message ? message : "", length, !!ra);
}

static void on_device_initialize(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup,
                                 const char *documentation) {
    fprintf(stderr, "device initialized=%d %s handle=%d lookup=%d documentation=%d devices=%d\n", device, type, !!handle,
            !!lookup, !!documentation, get_num_devices());
}

static void on_device_finalize(int device) { fprintf(stderr, "device finalized=%d\n", device); }

static uint64_t loaded;

static void on_device_load(int device, const char *file, int64_t offset, void *vma, size_t bytes, void *host, void *on_device,
                           uint64_t module) {
    loaded = module;
    fprintf(stderr, "device loaded=%d file=%d offset=%d vma=%d bytes=%zu host=%d there=%d\n", device, !!file, (int)offset,
            vma != (void *)(intptr_t)ompt_addr_none, bytes, host != (void *)(intptr_t)ompt_addr_none,
            on_device != (void *)(intptr_t)ompt_addr_none);
}

static void on_device_unload(int device, uint64_t module) {
    fprintf(stderr, "device unloaded=%d same=%d\n", device, module == loaded);
}

static int on_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_target_info = (ompt_get_target_info_t)lookup("ompt_get_target_info");
    get_num_devices = (ompt_get_num_devices_t)lookup("ompt_get_num_devices");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    (void)device, (void)tool;
    if (getenv("DEVICES_TASKS")) {
        set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
        set(ompt_callback_dependences, (ompt_callback_t)on_dependences);
        set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
        set(ompt_callback_target_emi, (ompt_callback_t)on_target_with_task);
        return 1;
    }
#define SET(name) fprintf(stderr, "set " #name " %d\n", (int)set(ompt_callback_##name, (ompt_callback_t)on_##name))
    if (!getenv("DEVICES_PLAIN")) {
        SET(target_emi);
        SET(target_data_op_emi);
        SET(target_submit_emi);
    }
    SET(target);
    SET(target_data_op);
    SET(target_submit);
    SET(error);
    SET(device_initialize);
    SET(device_finalize);
    SET(device_load);
    SET(device_unload);
    return 1;
}

static void on_finalize(ompt_data_t *tool) { (void)tool; }

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version) {
    static ompt_start_tool_result_t result = {on_initialize, on_finalize, {0}};
    (void)omp_version, (void)runtime_version;
    return &result;
}
