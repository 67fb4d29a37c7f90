/* Another measurement library for instrumented programs, linked after ours: it gives handles and tasks its own values, and checks that
 * the program passes them. At the end it writes how many calls came, and how many had a wrong value. */
#include <opari2/pomp2_lib.h>
#include <opari2/pomp2_user_lib.h>

#include <stdint.h>
#include <stdio.h>

/* Its handles: odd numbers. Its tasks: a thread's number in the upper half, from 1. */
static long calls, wrong, handles, created, begun;
static _Thread_local int64_t current = 7;
static int64_t last_task = 1000;

static void note(int right) {
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (!right) __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}

static void assign(OPARI2_Region_handle *handle, const char *string) {
    void *none = NULL;
    long mine = 2 * __atomic_add_fetch(&handles, 1, __ATOMIC_RELAXED) + 1;
    if (!*(void *volatile *)handle)
        __atomic_compare_exchange_n(handle, &none, (void *)mine, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    note(string && string[0] >= '0' && string[0] <= '9' && (intptr_t)*handle % 2 == 1);
}

static void use(OPARI2_Region_handle *handle) { note((intptr_t)*handle % 2 == 1); }

static void save(POMP2_Task_handle *old) { *old = current; }

static void restore(POMP2_Task_handle old) {
    note(old == 7 || old > 1000);
    current = old;
}

#define NAMED(name) void name(OPARI2_Region_handle *handle, const char string[]) { assign(handle, string); }
#define PLAIN(name) void name(OPARI2_Region_handle *handle) { use(handle); }

NAMED(POMP2_Assign_handle)
NAMED(POMP2_For_enter) PLAIN(POMP2_For_exit)
NAMED(POMP2_Sections_enter) PLAIN(POMP2_Sections_exit)
NAMED(POMP2_Section_begin) PLAIN(POMP2_Section_end)
NAMED(POMP2_Single_enter) PLAIN(POMP2_Single_exit)
PLAIN(POMP2_Single_begin) PLAIN(POMP2_Single_end)
NAMED(POMP2_Master_begin) PLAIN(POMP2_Master_end)
NAMED(POMP2_Critical_enter) PLAIN(POMP2_Critical_exit)
PLAIN(POMP2_Critical_begin) PLAIN(POMP2_Critical_end)
NAMED(POMP2_Ordered_enter) PLAIN(POMP2_Ordered_exit)
PLAIN(POMP2_Ordered_begin) PLAIN(POMP2_Ordered_end)
NAMED(POMP2_Atomic_enter) PLAIN(POMP2_Atomic_exit)
NAMED(POMP2_Flush_enter) PLAIN(POMP2_Flush_exit)
PLAIN(POMP2_Parallel_begin) PLAIN(POMP2_Parallel_end)

void POMP2_Parallel_fork(OPARI2_Region_handle *handle, int if_clause, int threads, POMP2_Task_handle *old,
                         const char string[]) {
    assign(handle, string);
    note((if_clause == 0 || if_clause == 1) && threads > 0 && threads < 1000);
    save(old);
}

void POMP2_Parallel_join(OPARI2_Region_handle *handle, POMP2_Task_handle old) {
    use(handle);
    restore(old);
}

void POMP2_Barrier_enter(OPARI2_Region_handle *handle, POMP2_Task_handle *old, const char string[]) {
    assign(handle, string);
    save(old);
}

void POMP2_Barrier_exit(OPARI2_Region_handle *handle, POMP2_Task_handle old) {
    use(handle);
    restore(old);
}

void POMP2_Implicit_barrier_enter(OPARI2_Region_handle *handle, POMP2_Task_handle *old) {
    use(handle);
    save(old);
}

void POMP2_Implicit_barrier_exit(OPARI2_Region_handle *handle, POMP2_Task_handle old) {
    use(handle);
    restore(old);
}

void POMP2_Taskwait_begin(OPARI2_Region_handle *handle, POMP2_Task_handle *old, const char string[]) {
    assign(handle, string);
    save(old);
}

void POMP2_Taskwait_end(OPARI2_Region_handle *handle, POMP2_Task_handle old) {
    use(handle);
    restore(old);
}

void POMP2_Task_create_begin(OPARI2_Region_handle *handle, POMP2_Task_handle *new_task, POMP2_Task_handle *old,
                             int if_clause, const char string[]) {
    assign(handle, string);
    note(if_clause != 0);
    save(old);
    *new_task = __atomic_add_fetch(&last_task, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED);
}

void POMP2_Task_create_end(OPARI2_Region_handle *handle, POMP2_Task_handle old) {
    use(handle);
    restore(old);
}

void POMP2_Task_begin(OPARI2_Region_handle *handle, POMP2_Task_handle task) {
    use(handle);
    note(task > 1000 && task <= last_task);
    current = task;
    __atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
}

void POMP2_Task_end(OPARI2_Region_handle *handle) { use(handle); }

int POMP2_Lib_get_max_threads(void) { return omp_get_max_threads(); }
void POMP2_Init_lock(omp_lock_t *lock) { note(1); omp_init_lock(lock); }
void POMP2_Destroy_lock(omp_lock_t *lock) { note(1); omp_destroy_lock(lock); }
void POMP2_Set_lock(omp_lock_t *lock) { note(1); omp_set_lock(lock); }
void POMP2_Unset_lock(omp_lock_t *lock) { note(1); omp_unset_lock(lock); }
int POMP2_Test_lock(omp_lock_t *lock) { note(1); return omp_test_lock(lock); }
void POMP2_Init_nest_lock(omp_nest_lock_t *lock) { note(1); omp_init_nest_lock(lock); }
void POMP2_Destroy_nest_lock(omp_nest_lock_t *lock) { note(1); omp_destroy_nest_lock(lock); }
void POMP2_Set_nest_lock(omp_nest_lock_t *lock) { note(1); omp_set_nest_lock(lock); }
void POMP2_Unset_nest_lock(omp_nest_lock_t *lock) { note(1); omp_unset_nest_lock(lock); }
int POMP2_Test_nest_lock(omp_nest_lock_t *lock) { note(1); return omp_test_nest_lock(lock); }

__attribute__((destructor)) static void end(void) {
    fprintf(stderr, "other library: %d calls, %ld wrong, %ld tasks created, %ld begun\n", calls > 1000, wrong, created, begun);
}
