/*
 * Fourier transforms, decimated in time: a task transforms the numbers at even places, another those at odd ones, and
 * tasks again combine the two. Small pieces are one task's work.
 */
#include <math.h>

#include "kernel.h"

enum { POINTS = 1 << 16, ALONE = 512, COMBINE = 2048 };

struct number {
    double re, im;
};

static int transforms;
static struct number *values, *result, *roots;

/* Combines the transforms of both halves for the frequencies from `from` to before `to`. `step` is the distance of roots. */
static void butterflies(struct number *out, int half, int step, int from, int to)
{
    for (int i = from; i < to; i++) {
        struct number w = roots[i * step], a = out[i], b = out[i + half];
        struct number turned = {b.re * w.re - b.im * w.im, b.re * w.im + b.im * w.re};
        out[i] = (struct number){a.re + turned.re, a.im + turned.im};
        out[i + half] = (struct number){a.re - turned.re, a.im - turned.im};
    }
}

static void combine(struct number *out, int half, int step, int from, int to)
{
    if (to - from <= COMBINE) {
        butterflies(out, half, step, from, to);
        return;
    }
    int middle = from + (to - from) / 2;
    TASK()
    combine(out, half, step, from, middle);
    TASK()
    combine(out, half, step, middle, to);
    TASKWAIT
}

static void alone(const struct number *in, struct number *out, int n, int step)
{
    if (n == 1) {
        *out = *in;
        return;
    }
    alone(in, out, n / 2, step * 2);
    alone(in + step, out + n / 2, n / 2, step * 2);
    butterflies(out, n / 2, step, 0, n / 2);
}

static void transform(const struct number *in, struct number *out, int n, int step)
{
    if (n <= ALONE) {
        alone(in, out, n, step);
        return;
    }
    TASK()
    transform(in, out, n / 2, step * 2);
    TASK()
    transform(in + step, out + n / 2, n / 2, step * 2);
    TASKWAIT
    combine(out, n / 2, step, 0, n / 2);
}

static void prepare(int size)
{
    uint64_t random = 1;
    transforms = size;
    values = allocate(POINTS * sizeof *values);
    result = allocate(POINTS * sizeof *result);
    roots = allocate(POINTS / 2 * sizeof *roots);
    for (int i = 0; i < POINTS; i++) {
        values[i].re = next_fraction(&random);
        values[i].im = next_fraction(&random);
    }
    for (int i = 0; i < POINTS / 2; i++) {
        double angle = -2 * M_PI * i / POINTS;
        roots[i] = (struct number){cos(angle), sin(angle)};
    }
    memset(result, 0, POINTS * sizeof *result);
}

static void solve(void)
{
    for (int i = 0; i < transforms; i++) {
        transform(values, result, POINTS, 1);
        /* A different signal the next time. */
        values[i % POINTS] = result[(i + 1) % POINTS];
    }
}

static uint64_t checksum(void)
{
    return sum_of(result, POINTS * sizeof *result);
}
