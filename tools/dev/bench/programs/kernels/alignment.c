/* Aligns each pair of many sequences of letters, with affine gaps: opening a gap costs more than extending it. A task for each pair. */
#include "kernel.h"

enum { LONGEST = 60, LETTERS = 20, OPEN = 9, EXTEND = 2, NEVER = -1000000 };

struct sequence {
    int length;
    unsigned char letters[LONGEST];
};

static int sequences;
static struct sequence *all;
static int *scores, likeness[LETTERS][LETTERS];

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Row by row: `best` ends anywhere, `down` in a gap of the second sequence, `across` in one of the first. */
static int align(const struct sequence *a, const struct sequence *b)
{
    int best[LONGEST + 1], down[LONGEST + 1];
    best[0] = 0;
    for (int j = 1; j <= b->length; j++) {
        best[j] = -OPEN - EXTEND * j;
        down[j] = NEVER;
    }
    for (int i = 1; i <= a->length; i++) {
        const int *like = likeness[a->letters[i - 1]];
        int diagonal = best[0], across = NEVER;
        best[0] = -OPEN - EXTEND * i;
        for (int j = 1; j <= b->length; j++) {
            across = larger(across, best[j - 1] - OPEN) - EXTEND;
            down[j] = larger(down[j], best[j] - OPEN) - EXTEND;
            int here = larger(diagonal + like[b->letters[j - 1]], larger(across, down[j]));
            diagonal = best[j];
            best[j] = here;
        }
    }
    return best[b->length];
}

static void prepare(int size)
{
    uint64_t random = 5;
    sequences = size;
    all = allocate((size_t)size * sizeof *all);
    scores = allocate((size_t)size * (size_t)size * sizeof *scores);
    memset(scores, 0, (size_t)size * (size_t)size * sizeof *scores);
    for (int i = 0; i < LETTERS; i++)
        for (int j = 0; j <= i; j++)
            likeness[i][j] = likeness[j][i] = i == j ? 6 : (int)(next_random(&random) % 6) - 4;
    for (int i = 0; i < size; i++) {
        all[i].length = LONGEST / 2 + (int)(next_random(&random) % (LONGEST / 2 + 1));
        for (int j = 0; j < LONGEST; j++)
            all[i].letters[j] = (unsigned char)(next_random(&random) % LETTERS);
    }
}

static void solve(void)
{
    for (int i = 0; i < sequences; i++)
        for (int j = i + 1; j < sequences; j++) {
            TASK(firstprivate(i, j))
            scores[i * sequences + j] = align(&all[i], &all[j]);
        }
    TASKWAIT
}

static uint64_t checksum(void)
{
    return sum_of(scores, (size_t)sequences * (size_t)sequences * sizeof *scores);
}
