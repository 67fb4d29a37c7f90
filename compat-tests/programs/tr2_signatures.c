/* Signatures of TR2 (appendices A.3 and A.4), written a second time from the report: the file only has to compile, as C and C++; with
 * -DWRONG it must not. */
#include <ompt_tr2.h>
#include <stddef.h>
#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define CLAIM(condition) typedef char JOIN(claim_, __LINE__)[(condition) ? 1 : -1]

CLAIM(sizeof(ompt_thread_id_t) == 8 && (ompt_thread_id_t)-1 > 0);
CLAIM(sizeof(ompt_parallel_id_t) == 8 && (ompt_parallel_id_t)-1 > 0);
CLAIM(sizeof(ompt_task_id_t) == 8 && (ompt_task_id_t)-1 > 0);
CLAIM(sizeof(ompt_wait_id_t) == 8 && (ompt_wait_id_t)-1 > 0);
CLAIM(sizeof(ompt_frame_t) == 16);
CLAIM(offsetof(ompt_frame_t, exit_runtime_frame) == 0 && offsetof(ompt_frame_t, reenter_runtime_frame) == 8);
CLAIM(sizeof(ompt_event_t) == 4 && sizeof(ompt_state_t) == 4 && sizeof(ompt_thread_type_t) == 4);

/* Functions that a tool defines. */
static void on_thread(ompt_thread_id_t thread_id) { (void)thread_id; }
static void on_thread_type(ompt_thread_type_t thread_type, ompt_thread_id_t thread_id) {
    (void)thread_type, (void)thread_id;
}
static void on_wait(ompt_wait_id_t wait_id) { (void)wait_id; }
static void on_parallel(ompt_parallel_id_t parallel_id, ompt_task_id_t task_id) { (void)parallel_id, (void)task_id; }
static void on_new_workshare(ompt_parallel_id_t parallel_id, ompt_task_id_t task_id, void *workshare_function) {
    (void)parallel_id, (void)task_id, (void)workshare_function;
}
static void on_new_parallel(ompt_task_id_t parent_task_id, ompt_frame_t *parent_task_frame,
                            ompt_parallel_id_t parallel_id, uint32_t requested_team_size, void *parallel_function) {
    (void)parent_task_id, (void)parent_task_frame->exit_runtime_frame, (void)parent_task_frame->reenter_runtime_frame;
    (void)parallel_id, (void)requested_team_size, (void)parallel_function;
}
static void on_task(ompt_task_id_t task_id) { (void)task_id; }
static void on_task_switch(ompt_task_id_t suspended_task_id, ompt_task_id_t resumed_task_id) {
    (void)suspended_task_id, (void)resumed_task_id;
}
static void on_new_task(ompt_task_id_t parent_task_id, ompt_frame_t *parent_task_frame, ompt_task_id_t new_task_id,
                        void *new_task_function) {
    (void)parent_task_id, (void)parent_task_frame, (void)new_task_id, (void)new_task_function;
}
static void on_control(uint64_t command, uint64_t modifier) { (void)command, (void)modifier; }
static void on_shutdown(void) {}

struct callbacks {
    ompt_thread_callback_t thread;
    ompt_thread_type_callback_t thread_type;
    ompt_wait_callback_t wait;
    ompt_parallel_callback_t parallel;
    ompt_new_workshare_callback_t new_workshare;
    ompt_new_parallel_callback_t new_parallel;
    ompt_task_callback_t task;
    ompt_task_switch_callback_t task_switch;
    ompt_new_task_callback_t new_task;
    ompt_control_callback_t control;
    ompt_callback_t shutdown;
};
extern const struct callbacks all;
const struct callbacks all = {on_thread,       on_thread_type, on_wait,        on_parallel, on_new_workshare,
                              on_new_parallel, on_task,        on_task_switch, on_new_task, on_control,
                              on_shutdown};

/* Functions that a runtime defines; ompt_enumerate_state has int where the report has ompt_state_t. */
struct entry_points {
    int (*set_callback)(ompt_event_t event, ompt_callback_t callback);
    int (*get_callback)(ompt_event_t event, ompt_callback_t *callback);
    int (*enumerate_state)(int current_state, int *next_state, const char **next_state_name);
    ompt_thread_id_t (*get_thread_id)(void);
    ompt_state_t (*get_state)(ompt_wait_id_t *wait_id);
    void *(*get_idle_frame)(void);
    ompt_parallel_id_t (*get_parallel_id)(int ancestor_level);
    int (*get_parallel_team_size)(int ancestor_level);
    ompt_task_id_t (*get_task_id)(int depth);
    ompt_frame_t *(*get_task_frame)(int depth);
};
#define LOOKED_UP(name) found->name = (JOIN(ompt_##name, _t))lookup("ompt_" #name)
void look_up(struct entry_points *found, ompt_function_lookup_t lookup);
void look_up(struct entry_points *found, ompt_function_lookup_t lookup) {
    ompt_interface_fn_t (*the_same)(const char *entry_point) = lookup;
    memset(found, 0, sizeof *found);
    if (!the_same) return;
    LOOKED_UP(set_callback);
    LOOKED_UP(get_callback);
    LOOKED_UP(enumerate_state);
    LOOKED_UP(get_thread_id);
    LOOKED_UP(get_state);
    LOOKED_UP(get_idle_frame);
    LOOKED_UP(get_parallel_id);
    LOOKED_UP(get_parallel_team_size);
    LOOKED_UP(get_task_id);
    LOOKED_UP(get_task_frame);
#ifdef WRONG
    found->get_task_id = (ompt_get_task_frame_t)lookup("ompt_get_task_id");
#endif
}

/* Functions of the tool and of the program. */
int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version) {
    struct entry_points found;
    look_up(&found, lookup);
    return runtime_version && ompt_version == 1 && found.set_callback(ompt_event_flush, on_shutdown) == 4;
}
void control(void);
void control(void) {
    if (ompt_control) ompt_control((uint64_t)1, (uint64_t)0);
}
