/* Every query, asked in tasks of each kind and around them. */
#include "../queries.h"

static unsigned long hashes[8];
int place;

static void ask(int kind) {
#pragma omp atomic
    hashes[kind] += hash_of_team("here");
}

static void kinds(void) {
    int i;
    omp_event_handle_t event;
#pragma omp task
    ask(0);
#pragma omp task if (0)
    ask(1);
#pragma omp task final(1)
    {
        ask(2);
#pragma omp task
        ask(2);
    }
#pragma omp task untied mergeable
    ask(3);
#pragma omp task depend(inout : place)
    ask(4);
#pragma omp task detach(event)
    {
        ask(5);
        omp_fulfill_event(event);
    }
#pragma omp taskloop num_tasks(3)
    for (i = 0; i < 9; i++) ask(6);
#pragma omp taskgroup
    {
#pragma omp task
        {
#pragma omp task
            ask(7);
        }
    }
#pragma omp taskwait
}

int main(void) {
    int i;
    kinds();
#pragma omp parallel
    {
        note(omp_get_thread_num(), "member");
#pragma omp barrier
#pragma omp single
        {
            kinds();
#pragma omp task
            {
                /* A task has control variables of its own. */
                omp_set_num_threads(3);
                omp_set_dynamic(1);
                omp_set_schedule(omp_sched_guided, 5);
                ask(0);
            }
#pragma omp taskwait
            ask(0);
        }
    }
    print_notes();
    for (i = 0; i < 8; i++) printf("%lx ", hashes[i]);
    printf("\n");
    return 0;
}
