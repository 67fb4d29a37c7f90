/* The product of two matrices by Strassen's seven products of quarters, each a task, down to small ones. */
#include "kernel.h"

enum { ALONE = 16 };

static int width;
static double *left, *right, *product;

/* A square part of a matrix whose rows have `row` numbers. */
struct piece {
    double *at;
    int row;
};

static struct piece quarter(struct piece p, int n, int down, int across)
{
    return (struct piece){p.at + down * (n / 2) * p.row + across * (n / 2), p.row};
}

static void add(struct piece a, struct piece b, double sign, struct piece out, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out.at[i * out.row + j] = a.at[i * a.row + j] + sign * b.at[i * b.row + j];
}

static void alone(struct piece a, struct piece b, struct piece out, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            out.at[i * out.row + j] = 0;
        for (int k = 0; k < n; k++) {
            double factor = a.at[i * a.row + k];
            for (int j = 0; j < n; j++)
                out.at[i * out.row + j] += factor * b.at[k * b.row + j];
        }
    }
}

static void multiply(struct piece a, struct piece b, struct piece out, int n)
{
    if (n <= ALONE) {
        alone(a, b, out, n);
        return;
    }
    int h = n / 2;
    struct piece a11 = quarter(a, n, 0, 0), a12 = quarter(a, n, 0, 1), a21 = quarter(a, n, 1, 0), a22 = quarter(a, n, 1, 1);
    struct piece b11 = quarter(b, n, 0, 0), b12 = quarter(b, n, 0, 1), b21 = quarter(b, n, 1, 0), b22 = quarter(b, n, 1, 1);
    /* Seven products, and ten sums for them. */
    double *room = allocate((size_t)h * h * 17 * sizeof *room);
    struct piece m[7], s[10];
    for (int i = 0; i < 17; i++)
        *(i < 7 ? &m[i] : &s[i - 7]) = (struct piece){room + (size_t)i * h * h, h};
    add(a11, a22, 1, s[0], h);
    add(b11, b22, 1, s[1], h);
    TASK(shared(s, m))
    multiply(s[0], s[1], m[0], h);
    add(a21, a22, 1, s[2], h);
    TASK(shared(s, m))
    multiply(s[2], b11, m[1], h);
    add(b12, b22, -1, s[3], h);
    TASK(shared(s, m))
    multiply(a11, s[3], m[2], h);
    add(b21, b11, -1, s[4], h);
    TASK(shared(s, m))
    multiply(a22, s[4], m[3], h);
    add(a11, a12, 1, s[5], h);
    TASK(shared(s, m))
    multiply(s[5], b22, m[4], h);
    add(a21, a11, -1, s[6], h);
    add(b11, b12, 1, s[7], h);
    TASK(shared(s, m))
    multiply(s[6], s[7], m[5], h);
    add(a12, a22, -1, s[8], h);
    add(b21, b22, 1, s[9], h);
    TASK(shared(s, m))
    multiply(s[8], s[9], m[6], h);
    TASKWAIT
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < h; j++) {
            int at = i * h + j;
            double *top = out.at + i * out.row + j, *bottom = top + h * out.row;
            top[0] = m[0].at[at] + m[3].at[at] - m[4].at[at] + m[6].at[at];
            top[h] = m[2].at[at] + m[4].at[at];
            bottom[0] = m[1].at[at] + m[3].at[at];
            bottom[h] = m[0].at[at] - m[1].at[at] + m[2].at[at] + m[5].at[at];
        }
    }
    free(room);
}

static void prepare(int size)
{
    uint64_t random = 3;
    size_t count = (size_t)size * (size_t)size;
    width = size;
    left = allocate(count * sizeof *left);
    right = allocate(count * sizeof *right);
    product = allocate(count * sizeof *product);
    for (size_t i = 0; i < count; i++) {
        left[i] = next_fraction(&random);
        right[i] = next_fraction(&random);
        product[i] = 0;
    }
}

static void solve(void)
{
    multiply((struct piece){left, width}, (struct piece){right, width}, (struct piece){product, width}, width);
}

static uint64_t checksum(void)
{
    /* One row, by the definition. */
    int row = width / 3;
    for (int j = 0; j < width; j++) {
        double sum = 0;
        for (int k = 0; k < width; k++)
            sum += left[row * width + k] * right[k * width + j];
        double off = (sum - product[row * width + j]) / sum;
        if (off > 1e-9 || off < -1e-9)
            return 0;
    }
    return sum_of(product, (size_t)width * (size_t)width * sizeof *product);
}
