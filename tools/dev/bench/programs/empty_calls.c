/*
 * Lower bound of the cost of OPARI's calls: functions that do only what the program requires, in a library of their own.
 * No measurement library can cost less.
 */
#include <stdint.h>

void POMP2_Parallel_fork(void **handle, int if_clause, int threads, uint64_t *old, const char *text)
{
    (void)handle, (void)if_clause, (void)threads, (void)text;
    *old = 0;
}

void POMP2_Task_create_begin(void **handle, uint64_t *new, uint64_t *old, int if_clause, const char *text)
{
    (void)handle, (void)if_clause, (void)text;
    *new = *old = 0;
}

#define SAVES(name)                                                                                                               \
    void name(void **handle, uint64_t *old, const char *text)                                                                     \
    {                                                                                                                             \
        (void)handle, (void)text;                                                                                                 \
        *old = 0;                                                                                                                 \
    }
SAVES(POMP2_Barrier_enter)
SAVES(POMP2_Implicit_barrier_enter)
SAVES(POMP2_Taskwait_begin)

#define RESTORES(name)                                                                                                            \
    void name(void **handle, uint64_t old)                                                                                        \
    {                                                                                                                             \
        (void)handle, (void)old;                                                                                                  \
    }
RESTORES(POMP2_Parallel_join)
RESTORES(POMP2_Barrier_exit)
RESTORES(POMP2_Implicit_barrier_exit)
RESTORES(POMP2_Taskwait_end)
RESTORES(POMP2_Task_create_end)
RESTORES(POMP2_Task_begin)

#define SAYS_NOTHING(name)                                                                                                        \
    void name(void **handle)                                                                                                      \
    {                                                                                                                             \
        (void)handle;                                                                                                             \
    }
SAYS_NOTHING(POMP2_Parallel_begin)
SAYS_NOTHING(POMP2_Parallel_end)
SAYS_NOTHING(POMP2_Task_end)

void POMP2_Assign_handle(void **handle, const char *text)
{
    (void)handle, (void)text;
}
