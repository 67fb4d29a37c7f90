/*
 * A country's health care: villages with a hospital each, in a tree. People fall ill, wait, are examined, and are treated
 * or sent to the hospital above. A task simulates a village's day, after its daughters' days.
 */
#include "kernel.h"

enum { DAUGHTERS = 4, LEVELS = 5, PEOPLE = 512, EXAMINATION = 3, TREATMENT = 10 };

struct patient {
    struct patient *next;
    uint64_t random;
    int days, visited, home;
};

/* First in, first out. */
struct queue {
    struct patient *first, **end;
};

struct village {
    struct village *daughters[DAUGHTERS];
    int level, free_staff;
    struct queue healthy, waiting, examined, treated, sent;
    uint64_t days_ill, treatments;
};

static int days;
static struct village *country;

static void put(struct queue *q, struct patient *p)
{
    p->next = NULL;
    *q->end = p;
    q->end = &p->next;
}

/* Empties a queue and returns its patients; the caller puts each of them into a queue. */
static struct patient *all_of(struct queue *q)
{
    struct patient *first = q->first;
    q->first = NULL;
    q->end = &q->first;
    return first;
}

#define EACH(p, q) (struct patient *p = all_of(q), *after; p && (after = p->next, 1); p = after)

static void day_here(struct village *v)
{
    for EACH(p, &v->treated) {
        if (p->days-- > 0) {
            put(&v->treated, p);
        } else {
            v->free_staff++;
            put(&v->healthy, p);
        }
    }
    for EACH(p, &v->examined) {
        if (p->days-- > 0) {
            put(&v->examined, p);
        } else if (next_fraction(&p->random) < 0.3 && v->level < LEVELS - 1) {
            v->free_staff++;
            put(&v->sent, p);
        } else {
            v->treatments++;
            p->days = TREATMENT;
            put(&v->treated, p);
        }
    }
    for EACH(p, &v->waiting) {
        v->days_ill++;
        if (v->free_staff > 0) {
            v->free_staff--;
            p->days = EXAMINATION;
            p->visited++;
            put(&v->examined, p);
        } else {
            put(&v->waiting, p);
        }
    }
    for EACH(p, &v->healthy)
        put(next_fraction(&p->random) < 0.04 ? &v->waiting : &v->healthy, p);
}

static void day(struct village *v)
{
    for (int i = 0; i < DAUGHTERS && v->level > 0; i++) {
        struct village *daughter = v->daughters[i];
        TASK(firstprivate(daughter))
        day(daughter);
    }
    day_here(v);
    TASKWAIT
    for (int i = 0; i < DAUGHTERS && v->level > 0; i++)
        for EACH(p, &v->daughters[i]->sent)
            put(&v->waiting, p);
}

static struct village *found(int level, uint64_t *random)
{
    struct village *v = allocate(sizeof *v);
    memset(v, 0, sizeof *v);
    v->level = level;
    v->free_staff = 1 << level;
    struct queue *queues[] = {&v->healthy, &v->waiting, &v->examined, &v->treated, &v->sent};
    for (int i = 0; i < 5; i++)
        queues[i]->end = &queues[i]->first;
    struct patient *people = allocate(PEOPLE * sizeof *people);
    for (int i = 0; i < PEOPLE; i++) {
        people[i] = (struct patient){NULL, next_random(random), 0, 0, level};
        put(&v->healthy, &people[i]);
    }
    for (int i = 0; i < DAUGHTERS && level > 0; i++)
        v->daughters[i] = found(level - 1, random);
    return v;
}

static uint64_t count(const struct village *v)
{
    uint64_t sum = v->days_ill * 3 + v->treatments * 7 + (uint64_t)v->free_staff;
    for (const struct patient *p = v->waiting.first; p; p = p->next)
        sum = sum * 31 + (uint64_t)p->visited;
    for (int i = 0; i < DAUGHTERS && v->level > 0; i++)
        sum = sum * 31 + count(v->daughters[i]);
    return sum;
}

static void prepare(int size)
{
    uint64_t random = 7;
    days = size;
    country = found(LEVELS - 1, &random);
}

static void solve(void)
{
    for (int i = 0; i < days; i++)
        day(country);
}

static uint64_t checksum(void)
{
    return count(country);
}
