// Reductions of C++ objects over tasks, taskloops and regions.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

struct Set {
    std::vector<int> values;
    Set &operator+=(const Set &other) {
        values.insert(values.end(), other.values.begin(), other.values.end());
        return *this;
    }
    long hash() {
        std::sort(values.begin(), values.end());
        long hash = 0;
        for (int value : values) hash = (hash * 31 + value) % 1000003;
        return hash;
    }
};
#pragma omp declare reduction(+ : Set : omp_out += omp_in)
#pragma omp declare reduction(longest : std::string : omp_out = omp_in.size() > omp_out.size() ? omp_in : omp_out)

int main() {
    Set tasks, loop, region;
    std::string text;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : tasks) task_reduction(longest : text)
        for (int i = 0; i < 50; i++) {
#pragma omp task in_reduction(+ : tasks) in_reduction(longest : text) firstprivate(i)
            {
                tasks.values.push_back(i);
                std::string mine(i + 1, 'a' + i % 26);
                if (mine.size() > text.size()) text = mine;
            }
        }
#pragma omp taskloop reduction(+ : loop) grainsize(3)
        for (int i = 0; i < 50; i++) loop.values.push_back(i * i);
    }
#pragma omp parallel reduction(task, + : region)
    {
#pragma omp for
        for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : region) firstprivate(i)
            region.values.push_back(i * 7);
        }
    }
    std::printf("%ld %ld %ld %zu %s\n", tasks.hash(), loop.hash(), region.hash(), region.values.size(), text.c_str());
    return 0;
}
