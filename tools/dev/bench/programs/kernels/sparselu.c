/* Factors a sparse matrix of small blocks into a lower and an upper one: a task for each block of each step. */
#include "kernel.h"

enum { EDGE = 20, AREA = EDGE * EDGE };

static int blocks;
static double **matrix;

static double **block(int row, int column)
{
    return &matrix[row * blocks + column];
}

/* The block on the diagonal. */
static void factor(double *a)
{
    for (int k = 0; k < EDGE; k++)
        for (int i = k + 1; i < EDGE; i++) {
            a[i * EDGE + k] /= a[k * EDGE + k];
            for (int j = k + 1; j < EDGE; j++)
                a[i * EDGE + j] -= a[i * EDGE + k] * a[k * EDGE + j];
        }
}

/* A block to the right of it. */
static void forward(const double *diagonal, double *a)
{
    for (int k = 0; k < EDGE; k++)
        for (int i = k + 1; i < EDGE; i++)
            for (int j = 0; j < EDGE; j++)
                a[i * EDGE + j] -= diagonal[i * EDGE + k] * a[k * EDGE + j];
}

/* A block below it. */
static void divide(const double *diagonal, double *a)
{
    for (int i = 0; i < EDGE; i++)
        for (int k = 0; k < EDGE; k++) {
            a[i * EDGE + k] /= diagonal[k * EDGE + k];
            for (int j = k + 1; j < EDGE; j++)
                a[i * EDGE + j] -= a[i * EDGE + k] * diagonal[k * EDGE + j];
        }
}

/* A block below and to the right, which may have been empty. */
static void update(const double *row, const double *column, double **place)
{
    if (!*place)
        *place = memset(allocate(AREA * sizeof **place), 0, AREA * sizeof **place);
    double *a = *place;
    for (int i = 0; i < EDGE; i++)
        for (int k = 0; k < EDGE; k++)
            for (int j = 0; j < EDGE; j++)
                a[i * EDGE + j] -= row[i * EDGE + k] * column[k * EDGE + j];
}

static void prepare(int size)
{
    uint64_t random = 4;
    blocks = size;
    matrix = allocate((size_t)size * (size_t)size * sizeof *matrix);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            int there = i == j || next_random(&random) % 8 == 0;
            *block(i, j) = there ? allocate(AREA * sizeof(double)) : NULL;
            for (int k = 0; there && k < AREA; k++)
                /* A heavy diagonal needs no search for pivots. */
                (*block(i, j))[k] = next_fraction(&random) + (i == j && k % (EDGE + 1) == 0 ? 16.0 * size : 0);
        }
}

static void solve(void)
{
    for (int k = 0; k < blocks; k++) {
        double *diagonal = *block(k, k);
        factor(diagonal);
        for (int i = k + 1; i < blocks; i++) {
            double *right = *block(k, i), *below = *block(i, k);
            if (right) {
                TASK(firstprivate(diagonal, right))
                forward(diagonal, right);
            }
            if (below) {
                TASK(firstprivate(diagonal, below))
                divide(diagonal, below);
            }
        }
        TASKWAIT
        for (int i = k + 1; i < blocks; i++)
            for (int j = k + 1; *block(i, k) && j < blocks; j++) {
                double *row = *block(i, k), *column = *block(k, j), **place = block(i, j);
                if (column) {
                    TASK(firstprivate(row, column, place))
                    update(row, column, place);
                }
            }
        TASKWAIT
    }
}

static uint64_t checksum(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < blocks * blocks; i++)
        sum = sum * 31 + (matrix[i] ? sum_of(matrix[i], AREA * sizeof(double)) : 1);
    return sum;
}
