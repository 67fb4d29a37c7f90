/* Answers of the three interfaces in one signal: finds those that can't be true together. */
#include "storm.h"

#include "omp_collector_api.h"

static int same(const struct moment *a, const struct moment *b) {
    return a->region == b->region && a->task == b->task && a->state == b->state && a->wait == b->wait;
}

/* A state with a wait id waits for something. */
static int waits(int state) {
    return (state >= THR_IBAR_STATE && state <= THR_EBAR_STATE) || (state >= THR_LKWT_STATE && state <= THR_ATWT_STATE);
}

#define must(rule, right)                       \
    do {                                        \
        if (!(right)) storm_wrong(rule, ora, tr2, five); \
    } while (0)

static void judge_ora(const struct ora_answers *ora, const struct tr2_answers *tr2, const struct five_answers *five) {
    const struct moment *now = &ora->first;
    const int state = now->state;
    /* A thread that LLVM's runtime has in a task of an unreported region; so are threads of leagues for a moment. */
    const int as_the_runtime_says = five->there && !five->own && (five->set & (PARALLEL | OVERHEAD)) && !ora->parent_told
                                    && state == THR_WORK_STATE;
    must(NO_STATE, ora->set != NOBODY);
    if (state == THR_WORK_STATE || state == THR_IBAR_STATE || state == THR_EBAR_STATE || state == THR_ODWT_STATE
        || state == THR_REDUC_STATE)
        must(STATE_AND_REGION, now->region != 0 || as_the_runtime_says);
    if (state == THR_SERIAL_STATE || state == THR_IDLE_STATE) must(STATE_AND_REGION, now->region == 0);
    must(STATE_AND_WAIT, now->has_wait == waits(state));
    if (state >= THR_LKWT_STATE && state <= THR_ATWT_STATE) must(WAIT_OF_NOTHING, now->wait != 0);
    if (now->region == 0)
        must(PARENT_OF_NOTHING, ora->parent == 0);
    else
        /* Regions are numbered in the order in which they start. */
        must(PARENT_AND_REGION, ora->parent < now->region);
    if (ora->no_tasks) return;
    if (state == THR_IDLE_STATE) must(TASK_AND_STATE, now->task == 0);
    /* A runtime that embeds the library need not report implicit tasks, and has no OMPT tools. */
    if (now->region != 0 && state != THR_OVHD_STATE && tr2->there) must(TASK_AND_REGION, now->task != 0);
    must(TASK_AND_CREATOR, ora->creator == 0 || ora->creator != now->task);
}

static void judge_tr2(const struct ora_answers *ora, const struct tr2_answers *tr2, const struct five_answers *five) {
    const struct moment *now = &ora->first;
    /* Between the start of a region and that of its tasks, and between their ends, the tasks are those of the enclosing region. */
    const int on_its_way = now->state == THR_OVHD_STATE;
    /* A worker that reports late, when it wakes, that it has left its region: only the region's id is known. On libgomp, OpenMP 5's tool
     * gets as much (1). */
    const int tells_late = now->state == THR_IBAR_STATE && !ora->parent_told && (!five->there || !five->own || five->region[0] == 1);
    /* The initial task of a target region on the host, or of a league, even inside a target region: the Sun interface reports which task
     * encountered it. */
    const int in_target = five->there && five->own && five->initial_task
                          && (tr2->task[1] == now->task || tr2->task[2] == now->task);
    must(TR2_STATE, tr2->set & ora->set);
    if (now->has_wait) must(TR2_WAIT, tr2->wait == now->wait);
    must(TR2_REGION, tr2->region[0] == now->region || (on_its_way && ora->parent_told && tr2->region[0] == ora->parent));
    if (ora->parent_told && tr2->region[0] == now->region && now->region != 0)
        must(TR2_PARENT, tr2->region[1] == ora->parent);
    if (!ora->no_tasks) must(TR2_TASK, tr2->task[0] == now->task || on_its_way || in_target);
    must(TR2_THREAD, now->region == 0 || tr2->thread != 0);
    must(TR2_SIZE, tr2->region[0] == 0 || on_its_way || tr2->size > 0 || tells_late);
    must(TR2_FRAME, tr2->task[0] == 0 || tr2->has_frame);
}

static void judge_five(const struct ora_answers *ora, const struct tr2_answers *tr2, const struct five_answers *five) {
    const struct moment *now = &ora->first;
    must(FIVE_NO_STATE, five->listed);
    must(FIVE_THREAD, five->thread_fits);
    /* For a worker in the pool LLVM's runtime reports the last region forever: its words may belong to others by then. */
    if (!five->own && now->state == THR_IDLE_STATE) return;
    must(FIVE_REGION, five->regions_fit);
    must(FIVE_TASK, five->tasks_fit);
    if (!five->own) return;
    must(FIVE_STATE, five->set & ora->set);
    if (now->has_wait) must(FIVE_WAIT, five->wait == now->wait);
    if (now->region != 0 && now->state != THR_OVHD_STATE) must(FIVE_AND_REGION, five->region[0] != 0);
}

void judge(const struct ora_answers *ora, const struct tr2_answers *tr2, const struct five_answers *five) {
    must(WALK, ora->walked);
    must(CODE, !ora->refused);
    if (!ora->walked || ora->refused) return;
    if (ora->first.region) storm_count(IN_REGIONS);
    if (ora->first.has_wait) storm_count(WAITING);
    if (tr2->there) storm_count(OF_TR2);
    if (five->there) storm_count(OF_FIVE);
    if (five->there && five->explicit_task) storm_count(IN_TASKS);
    if (!same(&ora->first, &ora->last)) {
        storm_count(MOVED);
        return;
    }
    judge_ora(ora, tr2, five);
    if (tr2->there) judge_tr2(ora, tr2, five);
    if (five->there) judge_five(ora, tr2, five);
}
