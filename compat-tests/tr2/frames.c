/* A program that is its own tool: compares the entry points' answers about frames with the stack as an unwinder sees it, in the regions and
 * tasks of the report's appendix B and in some others. Prints differences, and nothing else.
 *
 * A frame is named by its canonical frame address. On a thread's stack, frames of the program and of the runtimes (any other
 * library) take turns; each run of the program's frames is one task. */
#include <ompt_tr2.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

#define MOST 200
#define LEVELS 8

static ompt_get_task_frame_t task_frame;
static ompt_get_task_id_t task_id;
static ompt_get_idle_frame_t idle_frame;
static ompt_get_thread_id_t thread_id;
static int wrong;

static void differ(const char *where, const char *what, int depth, const void *found, uintptr_t wanted) {
#pragma omp critical(output)
    printf("%s: %s of task %d is %p, not %p\n", where, what, depth, found, (void *)wanted);
    wrong = 1;
}

struct stack {
    int count, is_main;
    uintptr_t ip[MOST], bottom[MOST];
    /* Runs of the program's frames: the first one, and the one after it. */
    int runs, start[LEVELS], end[LEVELS];
};

int main(void);

static int is_program(uintptr_t ip) {
    Dl_info here, there;
    return dladdr((void *)ip, &here) && dladdr((void *)(uintptr_t)main, &there) && here.dli_fbase == there.dli_fbase;
}

static _Unwind_Reason_Code each(struct _Unwind_Context *context, void *data) {
    struct stack *stack = data;
    if (stack->count == MOST) return _URC_END_OF_STACK;
    stack->ip[stack->count] = _Unwind_GetIP(context);
    /* Place of the call of the frame's callee: the callee's canonical frame address. */
    stack->bottom[stack->count] = _Unwind_GetCFA(context);
    stack->count++;
    return _URC_NO_REASON;
}

/* A frame's canonical frame address. */
static uintptr_t address(const struct stack *stack, int frame) {
    return frame + 1 < stack->count ? stack->bottom[frame + 1] : 0;
}

static void look(struct stack *stack) {
    int i, inside = 0;
    stack->count = stack->is_main = stack->runs = 0;
    _Unwind_Backtrace(each, stack);
    for (i = 0; i < stack->count && !stack->is_main && stack->runs < LEVELS; i++) {
        int program = is_program(stack->ip[i] - 1);
        if (program && !inside) stack->start[stack->runs] = i;
        if (!program && inside) stack->end[stack->runs++] = i;
        inside = program;
        stack->is_main = _Unwind_FindEnclosingFunction((void *)stack->ip[i]) == (void *)(uintptr_t)main;
    }
    /* The initial task: frames below it are of no interest. */
    if (stack->is_main) stack->end[stack->runs++] = -1;
}

/* Every task on the calling thread's stack; with `inner`, the first run belongs to a callback, and not to a task. */
static __attribute__((noinline)) int check(const char *where, int inner, int tasks) {
    struct stack stack;
    int run;
    look(&stack);
    if (stack.runs - inner != tasks) {
        printf("%s: %d tasks on the stack, not %d\n", where, stack.runs - inner, tasks);
        wrong = 1;
    }
    for (run = inner; run < stack.runs; run++) {
        const ompt_frame_t *frame = task_frame(run - inner);
        uintptr_t exit = stack.end[run] < 0 ? 0 : address(&stack, stack.end[run]);
        uintptr_t reenter = run == 0 ? 0 : address(&stack, stack.start[run] - 1);
        if (!frame) differ(where, "frame", run - inner, frame, 1);
        else {
            if ((uintptr_t)frame->exit_runtime_frame != exit)
                differ(where, "exit", run - inner, frame->exit_runtime_frame, exit);
            if ((uintptr_t)frame->reenter_runtime_frame != reenter)
                differ(where, "reenter", run - inner, frame->reenter_runtime_frame, reenter);
        }
    }
    /* The frame in which a worker waits is below all of the program's. */
    if (stack.is_main) {
        if (idle_frame()) differ(where, "idle frame", -1, idle_frame(), 0);
    } else {
        int i = stack.runs ? stack.end[stack.runs - 1] : 0;
        while (i < stack.count && address(&stack, i) != (uintptr_t)idle_frame()) i++;
        if (i >= stack.count) differ(where, "idle frame", -1, idle_frame(), 1);
    }
    return stack.runs - inner;
}

static void same(const char *where, int depth, const ompt_frame_t *frame, const ompt_frame_t *values) {
    const ompt_frame_t *found = task_frame(depth);
    if (found != frame) {
        differ(where, "place", depth, found, (uintptr_t)frame);
        return;
    }
    if (!found) return;
    if (found->exit_runtime_frame != values->exit_runtime_frame)
        differ(where, "exit", depth, found->exit_runtime_frame, (uintptr_t)values->exit_runtime_frame);
    if (found->reenter_runtime_frame != values->reenter_runtime_frame)
        differ(where, "reenter", depth, found->reenter_runtime_frame, (uintptr_t)values->reenter_runtime_frame);
}

static int callbacks, expected;

static void on_parallel_begin(ompt_task_id_t task, ompt_frame_t *frame, ompt_parallel_id_t region, uint32_t requested,
                              void *function) {
    (void)task, (void)region, (void)requested, (void)function;
    if (frame != task_frame(0)) differ("parallel_begin", "argument", 0, frame, (uintptr_t)task_frame(0));
    if (expected) check("parallel_begin", 1, expected);
    __atomic_add_fetch(&callbacks, 1, __ATOMIC_RELAXED);
}

static void on_parallel_end(ompt_parallel_id_t region, ompt_task_id_t task) {
    (void)region, (void)task;
    if (expected) check("parallel_end", 1, expected);
    __atomic_add_fetch(&callbacks, 1, __ATOMIC_RELAXED);
}

static void on_task_begin(ompt_task_id_t parent, ompt_frame_t *frame, ompt_task_id_t task, void *function) {
    (void)parent, (void)task, (void)function;
    if (frame != task_frame(0)) differ("task_begin", "argument", 0, frame, (uintptr_t)task_frame(0));
    if (expected) check("task_begin", 1, expected);
    __atomic_add_fetch(&callbacks, 1, __ATOMIC_RELAXED);
}

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)runtime_version, (void)ompt_version;
    task_frame = (ompt_get_task_frame_t)lookup("ompt_get_task_frame");
    task_id = (ompt_get_task_id_t)lookup("ompt_get_task_id");
    idle_frame = (ompt_get_idle_frame_t)lookup("ompt_get_idle_frame");
    thread_id = (ompt_get_thread_id_t)lookup("ompt_get_thread_id");
    set(ompt_event_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set(ompt_event_parallel_end, (ompt_callback_t)on_parallel_end);
    set(ompt_event_task_begin, (ompt_callback_t)on_task_begin);
    return 1;
}

/* The report's figure: code A of the initial task, B of the outer region's two threads, C of the inner region's. */
static void figure(void) {
    const ompt_frame_t *r1 = task_frame(0);
    check("A", 0, 1);
#pragma omp parallel num_threads(2)
    {
        int primary = omp_get_thread_num() == 0;
        const ompt_frame_t *own = task_frame(0);
        ompt_frame_t outer = *task_frame(1), values;
        if (task_frame(1) != r1) differ("B", "place", 1, task_frame(1), (uintptr_t)r1);
        if (!outer.reenter_runtime_frame || outer.exit_runtime_frame) differ("B", "frames", 1, 0, 1);
        if (task_frame(2)) differ("B", "place", 2, task_frame(2), 0);
        check("B", 0, primary ? 2 : 1);
        values = *own;
#pragma omp barrier
#pragma omp parallel num_threads(2) firstprivate(primary)
        {
            int inner_primary = omp_get_thread_num() == 0;
            ompt_frame_t met;
            /* Threads 1 and 2 of the figure, and two that it doesn't show. */
            check("C", 0, !inner_primary ? 1 : primary ? 3 : 2);
            same("C", 2, r1, &outer);
            met = *task_frame(1);
            if (task_frame(1) != own || met.exit_runtime_frame != values.exit_runtime_frame || !met.reenter_runtime_frame)
                differ("C", "place", 1, task_frame(1), (uintptr_t)own);
            if (task_frame(3)) differ("C", "place", 3, task_frame(3), 0);
        }
        /* The inner region has ended. */
        check("B again", 0, primary ? 2 : 1);
        same("B again", 0, own, &values);
    }
    check("A again", 0, 1);
    if (task_frame(0) != r1) differ("A again", "place", 0, task_frame(0), (uintptr_t)r1);
}

/* Explicit tasks that are undeferred, and queued ones, in a taskwait. */
static void tasks(void) {
#pragma omp parallel num_threads(1)
    {
        expected = 2;
#pragma omp task if (0)
        {
            check("undeferred", 0, 3);
            expected = 3;
#pragma omp task if (0)
            check("undeferred in undeferred", 0, 4);
            expected = 2;
        }
#pragma omp taskgroup
        {
#pragma omp task
            check("queued, in a taskgroup", 0, 3);
        }
#pragma omp task
        check("queued, in a taskwait", 0, 3);
#pragma omp taskwait
        expected = 0;
        check("behind a taskwait", 0, 2);
#pragma omp task
        check("queued, in a barrier", 0, 3);
#pragma omp barrier
        check("behind a barrier", 0, 2);
    }
}

static void combined(void) {
    int i;
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (i = 0; i < 2; i++) check("parallel for", 0, omp_get_thread_num() == 0 ? 2 : 1);
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        check("section", 0, omp_get_thread_num() == 0 ? 2 : 1);
#pragma omp section
        check("section", 0, omp_get_thread_num() == 0 ? 2 : 1);
    }
}

/* A worker's idle frame stays the same over regions. */
static void idle(void) {
    static void *frames[2];
    int round;
    for (round = 0; round < 3; round++) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1) {
            frames[round > 0] = idle_frame();
            if (frames[round > 0] != frames[0]) differ("idle", "idle frame", round, idle_frame(), (uintptr_t)frames[0]);
        }
    }
}

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(1)
    {
    }
    expected = 1;
#pragma omp parallel num_threads(1)
    {
        expected = 2;
#pragma omp parallel num_threads(1)
        {
        }
        expected = 1;
    }
    expected = 0;
    figure();
    tasks();
    combined();
    idle();
    if (callbacks < 14) printf("only %d callbacks\n", callbacks);
    return wrong;
}
