// A sort whose halves are tasks, with lambdas, templates and vectors that tasks own.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <vector>

template <typename Less> static std::vector<int> sorted(std::vector<int> values, Less less) {
    if (values.size() < 32) {
        std::sort(values.begin(), values.end(), less);
        return values;
    }
    const auto middle = values.begin() + static_cast<long>(values.size() / 2);
    std::vector<int> left(values.begin(), middle), right(middle, values.end()), a, b;
#pragma omp task shared(a) firstprivate(left, less)
    a = sorted(std::move(left), less);
#pragma omp task shared(b) firstprivate(right, less) untied
    b = sorted(std::move(right), less);
#pragma omp taskwait
    std::merge(a.begin(), a.end(), b.begin(), b.end(), values.begin(), less);
    return values;
}

int main() {
    std::vector<int> values(3000), up, down;
    unsigned seed = 1;
    for (int &value : values) value = static_cast<int>((seed = seed * 1103515245 + 12345) >> 8 & 0xffff);
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(up)
        up = sorted(values, [](int a, int b) { return a < b; });
        down = sorted(values, std::greater<int>());
    }
    long hash = 0;
    for (int value : up) hash = (hash * 31 + value) % 1000003;
    std::reverse(down.begin(), down.end());
    std::printf("%ld %d %d\n", hash, std::is_sorted(up.begin(), up.end()), up == down);
    return 0;
}
