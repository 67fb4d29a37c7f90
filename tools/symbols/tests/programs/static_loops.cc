// Static loops of each kind, shares that are computed by hand, and other calls of the same routines. Each loop's directive begins its line.
#include <omp.h>
#include <cstdio>

static const int N = 1000;
static double a[N], b[N];

struct Vector {
    double *items;
    long length;
    long size() const { return length; }
};

#define PARALLEL_LOOP _Pragma("omp parallel for")

template <typename T> void scaled(T *items, int n, T factor)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        items[i] *= factor;
}

// Orphaned: without an outlined function of their own.
__attribute__((noinline)) static void orphaned(int n)
{
    double sum = 0;
#pragma omp single
    b[0] = 1;
#pragma omp for
    for (int i = 0; i < n; i++)
        sum += a[i];
#pragma omp for nowait
    for (int i = 0; i < n; i++)
        a[i] += sum;
#pragma omp for schedule(static, 8)
    for (int i = 0; i < n; i++)
        b[i] += a[i];
}

__attribute__((noinline)) static void in_regions(const Vector &vector)
{
    long sum = 0;
#pragma omp parallel for \
    schedule(static) reduction(+ : sum)
    for (long i = 0; i < vector.size(); i++)
        sum += vector.items[i] > 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for collapse(2)
        for (int i = 0; i < 10; i++)
            for (int j = 0; j < 100; j++)
                a[i * 100 + j] += sum;
#pragma omp barrier
#pragma omp for simd
        for (int i = 0; i < N; i++)
            b[i] -= a[i];
        orphaned(N);
    }
    PARALLEL_LOOP
    for (int i = 0; i < N; i++)
        b[i] += 1;
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < N; i++)
        b[i] += 1;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++)
        a[i] += 1;
#pragma omp teams distribute parallel for
    for (int i = 0; i < N; i++)
        a[i] += 1;
}

__attribute__((noinline)) static void by_hand(int n)
{
#pragma omp parallel
    {
        int threads = omp_get_num_threads();
        int thread = omp_get_thread_num();
        int share = n / threads, rest = n % threads;
        int begin = thread * share + (thread < rest ? thread : rest);
        for (int i = begin; i < begin + share + (thread < rest); i++)
            a[i] *= 2;
    }
#pragma omp parallel
    std::printf("%d of %d\n", omp_get_thread_num(), omp_get_num_threads());
}

int main()
{
    scaled(a, N, 2.0);
    static int numbers[N];
    scaled(numbers, N, 3);
    in_regions(Vector{a, N});
    by_hand(N);
}
