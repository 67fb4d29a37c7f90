/* A program that is its own tool: workers leave a region's last barrier when their next region starts, at another place in another team
 * than before. The task that they then leave has no frames, no matter what the worker in their old place does. Prints differences, and
 * nothing else. */
#include <ompt_tr2.h>

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static ompt_get_task_frame_t task_frame;
static int arrived, released;

static void look(ompt_parallel_id_t region, ompt_task_id_t task) {
    ompt_frame_t *frame;
    (void)region, (void)task;
    /* Time for others to start the next region. */
    usleep(20000);
    frame = task_frame(0);
    if (frame && frame->exit_runtime_frame && !frame->reenter_runtime_frame)
        printf("at the end of its last barrier a task is in code of the program's, behind %p\n", frame->exit_runtime_frame);
}

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)runtime_version, (void)ompt_version;
    task_frame = (ompt_get_task_frame_t)lookup("ompt_get_task_frame");
    set(ompt_event_implicit_task_end, (ompt_callback_t)look);
    return 1;
}

static void wait_for(int *number, int least) {
    while (__atomic_load_n(number, __ATOMIC_ACQUIRE) < least) usleep(1000);
}

static void team_of(int size) {
    arrived = 0;
#pragma omp parallel num_threads(size)
    {
        __atomic_add_fetch(&arrived, 1, __ATOMIC_RELEASE);
        /* All of them have arrived, and those whose callback is slow see the others work. */
        if (omp_get_thread_num() != 0) wait_for(&arrived, omp_get_num_threads());
        usleep(40000);
    }
}

/* Takes a worker and keeps it. */
static void *other(void *unused) {
#pragma omp parallel num_threads(2)
    {
        __atomic_store_n(&released, 1, __ATOMIC_RELEASE);
        wait_for(&released, 2);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    team_of(4);
    /* Two workers become free. */
    team_of(2);
    pthread_create(&thread, NULL, other, NULL);
    wait_for(&released, 1);
    /* One of them has a different number in this team than before, and a new one has its old number. */
    team_of(4);
    team_of(4);
    __atomic_store_n(&released, 2, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    return 0;
}
