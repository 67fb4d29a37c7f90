/* Faults of the callbacks of threads, regions and implicit tasks, and those of all callbacks with return addresses. */
#include <stddef.h>

#include "injector.h"
#include "data_words.h"

ompt_callback_t validator[64];
ompt_data_t initial_task, first_region, first_task;

#define CALL(name, type) ((type)validator[name])

static void thread_begin(ompt_thread_t kind, ompt_data_t *thread) {
    ompt_callback_thread_begin_t call = CALL(ompt_callback_thread_begin, ompt_callback_thread_begin_t);
    if (kind == ompt_thread_worker && fault_once("thread_begin_missing"))
        return;
    if (fault_once("thread_word_used"))
        thread->value = 7;
    call(fault_once("thread_kind") ? (ompt_thread_t)9 : kind, thread);
    if (fault_once("thread_begin_twice")) {
        ompt_data_t fresh = {0};
        call(kind, &fresh);
    }
}

static void thread_end(ompt_data_t *thread) {
    ompt_callback_thread_end_t call = CALL(ompt_callback_thread_end, ompt_callback_thread_end_t);
    call(fault_once("thread_word_lost") ? &nothing : thread);
    if (fault_once("after_thread_end"))
        CALL(ompt_callback_control_tool, ompt_callback_control_tool_t)(1, 0, NULL, (void *)thread_end);
}

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested,
                           int flags, const void *code) {
    ompt_callback_parallel_begin_t call = CALL(ompt_callback_parallel_begin, ompt_callback_parallel_begin_t);
    ompt_frame_t other = *mended(frame);
    if (fault_once("region_word_used"))
        region->value = 7;
    if (task->value != initial_task.value && fault_once("region_by_other"))
        task = &initial_task;
    if (fault_once("region_flags"))
        flags |= ompt_parallel_invoker_program | ompt_parallel_invoker_runtime;
    if (fault_once("requested_too_few"))
        requested = 1;
    if (fault_once("frame_no_enter"))
        other.enter_frame.ptr = NULL;
    if (fault_once("frame_flags"))
        other.enter_frame_flags = 0x77;
    if (task->value != initial_task.value && fault_once("frame_order"))
        other.enter_frame.value = other.exit_frame.value + 64;
    call(task, &other, region, requested, flags, code);
    if (first_region.value == 0)
        first_region = *region;
}

static void parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code) {
    ompt_callback_parallel_end_t call = CALL(ompt_callback_parallel_end, ompt_callback_parallel_end_t);
    int second = region->value != first_region.value && task->value == initial_task.value;
    if (second && fault_once("region_end_other"))
        region = &first_region;
    if (fault_once("region_end_by_other"))
        task = &first_task;
    call(region, task, fault_once("region_end_flags") ? flags ^ ompt_parallel_invoker_program : flags, code);
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned actual,
                          unsigned index, int flags) {
    ompt_callback_implicit_task_t call = CALL(ompt_callback_implicit_task, ompt_callback_implicit_task_t);
    int begin = endpoint == ompt_scope_begin, initial = flags & ompt_task_initial;
    if (initial && begin) {
        ompt_data_t fresh = {0};
        call(endpoint, region, task, actual, fault_is("initial_index") ? 0 : index, flags);
        initial_task = *task;
        if (fault_is("initial_twice"))
            call(endpoint, region, &fresh, actual, index, flags);
        return;
    }
    if (initial && fault_is("initial_end_missing"))
        return;
    if (begin && index == 1 && fault_once("member_missing"))
        return;
    if (!begin && index == 0 && fault_once("primary_end_missing"))
        return;
    if (begin && fault_once("implicit_flags"))
        flags = ompt_task_explicit;
    if (begin && region->value != first_region.value && fault_once("implicit_region_over"))
        region = &first_region;
    if (begin && index > 0 && fault_once("implicit_index"))
        index += 100;
    if (begin && index > 0 && fault_once("implicit_actual"))
        actual += 1;
    if (begin && fault_is("implicit_swapped"))
        index = 1 - index;
    if (!begin && fault_once("implicit_end_region"))
        region = &first_region;
    if (!begin && index == 0 && fault_once("implicit_end_index"))
        index = 9;
    if (!begin && fault_once("implicit_end_actual"))
        actual = 77;
    call(endpoint, region, task, actual, index, flags);
    if (!begin && fault_once("implicit_end_twice"))
        call(endpoint, region, task, actual, index, flags);
    if (begin && first_task.value == 0)
        first_task = *task;
}

static void work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, uint64_t count,
                 const void *code) {
    ompt_callback_work_t call = CALL(ompt_callback_work, ompt_callback_work_t);
    int loop = kind == ompt_work_loop || (kind >= ompt_work_loop_static && kind <= ompt_work_loop_other);
    if (loop && endpoint == ompt_scope_end && fault_once("work_end_missing"))
        return;
    if (kind == ompt_work_single_executor && fault_is("single_no_executor"))
        kind = ompt_work_single_other;
    if (fault_is("work_kind"))
        kind = (ompt_work_t)99;
    // workdistribute: compilers' headers may not have it.
    if (fault_is("work_of_6_0"))
        kind = (ompt_work_t)9;
    if (fault_once("work_other_kind"))
        kind = ompt_work_workshare;
    if (fault_once("work_by_other"))
        task = &initial_task;
    if (fault_once("work_region_other"))
        region = &first_task;
    if (fault_once("work_no_region"))
        region = NULL;
    if (fault_once("word_lost"))
        task = &nothing;
    if (fault_once("code_missing"))
        code = NULL;
    if (fault_once("code_is_data"))
        code = &initial_task;
    call(kind, endpoint, region, task, count, code);
}

static void masked(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, const void *code) {
    if (endpoint == ompt_scope_begin && fault_once("masked_begin_missing"))
        return;
    CALL(ompt_callback_masked, ompt_callback_masked_t)(endpoint, region, task, code);
}

static void dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
    if (fault_once("dispatch_by_other"))
        task = &initial_task;
    if (kind == ompt_dispatch_ws_loop_chunk) {
        ompt_dispatch_chunk_t *chunk = instance.ptr;
        if (fault_once("chunk_too_long"))
            chunk->iterations += 1000000;
        if (fault_is("chunk_too_short"))
            chunk->iterations -= 1;
    }
    CALL(ompt_callback_dispatch, ompt_callback_dispatch_t)
    (region, task, fault_once("dispatch_kind") ? ompt_dispatch_distribute_chunk : kind, instance);
}

static void cancel(ompt_data_t *task, int flags, const void *code) {
    ompt_callback_cancel_t call = CALL(ompt_callback_cancel, ompt_callback_cancel_t);
    int discarded = flags & ompt_cancel_discarded_task;
    call(!discarded && fault_once("cancel_by_other") ? &initial_task : task, fault_once("cancel_flags") ? 0x73 : flags, code);
}

static void flush(ompt_data_t *thread, const void *code) {
    CALL(ompt_callback_flush, ompt_callback_flush_t)(fault_once("flush_other_thread") ? &nothing : thread, code);
}

static int control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code) {
    return CALL(ompt_callback_control_tool, ompt_callback_control_tool_t)(command, modifier, argument, code);
}

static void error(ompt_severity_t severity, const char *message, size_t length, const void *code) {
    CALL(ompt_callback_error, ompt_callback_error_t)
    (fault_once("error_severity") ? (ompt_severity_t)5 : severity, message, length, code);
}

ompt_callback_t injected_callback(int number) {
    switch (number) {
    case ompt_callback_thread_begin: return (ompt_callback_t)thread_begin;
    case ompt_callback_thread_end: return (ompt_callback_t)thread_end;
    case ompt_callback_parallel_begin: return (ompt_callback_t)parallel_begin;
    case ompt_callback_parallel_end: return (ompt_callback_t)parallel_end;
    case ompt_callback_implicit_task: return (ompt_callback_t)implicit_task;
    case ompt_callback_work: return (ompt_callback_t)work;
    case ompt_callback_masked: return (ompt_callback_t)masked;
    case ompt_callback_dispatch: return (ompt_callback_t)dispatch;
    case ompt_callback_cancel: return (ompt_callback_t)cancel;
    case ompt_callback_flush: return (ompt_callback_t)flush;
    case ompt_callback_control_tool: return (ompt_callback_t)control_tool;
    case ompt_callback_error: return (ompt_callback_t)error;
    default: return other_callback(number);
    }
}
