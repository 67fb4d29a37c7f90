/* Results of every omp_get_* query at one place, as a line of text; and lines that threads leave, printed in order. */
#ifndef QUERIES_H
#define QUERIES_H

#include <omp.h>
#include <stdio.h>

enum { LINE = 400, LINES = 64 };

/* Queries whose answers are the same for all threads of a team, and for all tasks that they may run. */
static inline int team_queries(char *line, const char *where) {
    omp_sched_t kind;
    int chunk, level, used;
    omp_get_schedule(&kind, &chunk);
    used = snprintf(line, LINE, "%s: level %d active %d in %d team %d max %d dyn %d levels %d of %d limit %d cancel %d", where,
                    omp_get_level(), omp_get_active_level(), omp_in_parallel(), omp_get_num_threads(),
                    omp_get_max_threads(), omp_get_dynamic(), omp_get_max_active_levels(),
                    omp_get_supported_active_levels() > 7, omp_get_thread_limit(), omp_get_cancellation());
    used += snprintf(line + used, (size_t)(LINE - used), " sched %d,%d bind %d teams %d.%d dev %d host %d prio %d time %d%d",
                     (int)kind, chunk, (int)omp_get_proc_bind(), omp_get_team_num(), omp_get_num_teams(),
                     omp_get_default_device(), omp_is_initial_device(), omp_get_max_task_priority(),
                     omp_get_wtime() > 0, omp_get_wtick() > 0);
    used += snprintf(line + used, (size_t)(LINE - used), " sizes");
    for (level = 0; level <= omp_get_level() + 1; level++)
        used += snprintf(line + used, (size_t)(LINE - used), " %d", omp_get_team_size(level));
    return used;
}

/* These and the ones that differ between threads. */
static inline void all_queries(char *line, const char *where) {
    int used = team_queries(line, where), level;
    used += snprintf(line + used, (size_t)(LINE - used), " thread %d final %d ancestors", omp_get_thread_num(), omp_in_final());
    for (level = -1; level <= omp_get_level() + 1; level++)
        used += snprintf(line + used, (size_t)(LINE - used), " %d", omp_get_ancestor_thread_num(level));
}

static inline void say_queries(const char *where) {
    char line[LINE];
    all_queries(line, where);
    puts(line);
}

static char noted[LINES][LINE];

/* Each place of a team notes its results; print_notes() prints and clears them. */
static inline void note(int place, const char *where) { all_queries(noted[place], where); }

static inline void print_notes(void) {
    int place;
    for (place = 0; place < LINES; place++) {
        if (noted[place][0]) puts(noted[place]);
        noted[place][0] = 0;
    }
}

/* For results in tasks: no matter which thread runs them, the team's answers are one line. */
static inline unsigned long hash_of_team(const char *where) {
    char line[LINE];
    const char *at;
    unsigned long hash = 5381;
    team_queries(line, where);
    for (at = line; *at; at++) hash = (hash * 33 + (unsigned char)*at) & 0xffffffff;
    return hash + (unsigned long)omp_in_final();
}

#endif
