/* Sorts by merging: tasks sort the quarters, and merge them by cutting both sequences at the same value. */
#include "kernel.h"

enum { ALONE = 384, MERGE = 4096, INSERT = 12 };

static int length;
static uint32_t *numbers, *spare;

static void insertion_sort(uint32_t *a, int n)
{
    for (int i = 1; i < n; i++) {
        uint32_t value = a[i];
        int place = i;
        for (; place > 0 && a[place - 1] > value; place--)
            a[place] = a[place - 1];
        a[place] = value;
    }
}

static void alone(uint32_t *a, int n)
{
    while (n > INSERT) {
        /* The median of three splits. */
        uint32_t x = a[0], y = a[n / 2], z = a[n - 1];
        uint32_t pivot = x < y ? (y < z ? y : x < z ? z : x) : (x < z ? x : y < z ? z : y);
        int low = 0, high = n - 1;
        while (low <= high) {
            while (a[low] < pivot)
                low++;
            while (a[high] > pivot)
                high--;
            if (low <= high) {
                uint32_t value = a[low];
                a[low++] = a[high];
                a[high--] = value;
            }
        }
        alone(a + low, n - low);
        n = high + 1;
    }
    insertion_sort(a, n);
}

/* Number of the n sorted numbers below `value`. */
static int below(const uint32_t *a, int n, uint32_t value)
{
    int low = 0;
    while (n > 0) {
        int half = n / 2;
        if (a[low + half] < value) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

static void merge(const uint32_t *a, int na, const uint32_t *b, int nb, uint32_t *out)
{
    if (na + nb <= MERGE) {
        while (na && nb) {
            int first = *a <= *b;
            *out++ = first ? *a : *b;
            a += first;
            na -= first;
            b += !first;
            nb -= !first;
        }
        memcpy(out, a, (size_t)na * sizeof *a);
        memcpy(out + na, b, (size_t)nb * sizeof *b);
        return;
    }
    if (na < nb) {
        merge(b, nb, a, na, out);
        return;
    }
    int left = na / 2, right = below(b, nb, a[left]);
    TASK()
    merge(a, left, b, right, out);
    TASK()
    merge(a + left, na - left, b + right, nb - right, out + left + right);
    TASKWAIT
}

static void sort(uint32_t *a, uint32_t *other, int n)
{
    if (n <= ALONE) {
        alone(a, n);
        return;
    }
    int cut[5] = {0, n / 4, n / 2, n / 2 + n / 4, n};
    for (int i = 0; i < 4; i++) {
        uint32_t *part = a + cut[i], *room = other + cut[i];
        int size = cut[i + 1] - cut[i];
        TASK(firstprivate(part, room, size))
        sort(part, room, size);
    }
    TASKWAIT
    TASK()
    merge(a, n / 4, a + n / 4, n / 2 - n / 4, other);
    TASK()
    merge(a + cut[2], cut[3] - cut[2], a + cut[3], n - cut[3], other + cut[2]);
    TASKWAIT
    merge(other, n / 2, other + n / 2, n - n / 2, a);
}

static void prepare(int size)
{
    uint64_t random = 2;
    length = size;
    numbers = allocate((size_t)size * sizeof *numbers);
    spare = allocate((size_t)size * sizeof *spare);
    for (int i = 0; i < size; i++)
        numbers[i] = spare[i] = (uint32_t)next_random(&random);
}

static void solve(void)
{
    sort(numbers, spare, length);
}

static uint64_t checksum(void)
{
    for (int i = 1; i < length; i++)
        if (numbers[i - 1] > numbers[i])
            return 0;
    return sum_of(numbers, (size_t)length * sizeof *numbers);
}
