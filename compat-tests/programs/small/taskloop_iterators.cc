// taskloop over random-access iterators, with objects that are firstprivate, lastprivate and reduced.
#include <omp.h>

#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

static long copies;

struct Counted {
    Counted() = default;
    Counted(const Counted &other) : value(other.value) {
#pragma omp atomic
        copies += 1;
    }
    Counted &operator=(const Counted &other) = default;
    int value = 3;
};

int main() {
    std::vector<int> numbers(200);
    std::iota(numbers.begin(), numbers.end(), 1);
    std::string last;
    Counted counted;
    long sum = 0, wrong = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop firstprivate(counted) grainsize(9) reduction(+ : sum)
        for (auto at = numbers.begin(); at < numbers.end(); ++at) sum += *at * counted.value;
#pragma omp taskloop lastprivate(last, counted) num_tasks(8)
        for (auto at = numbers.rbegin(); at != numbers.rend(); ++at) {
            last = std::to_string(*at);
            counted.value = *at;
        }
#pragma omp taskloop collapse(2) shared(wrong)
        for (auto at = numbers.begin(); at < numbers.begin() + 10; at += 2)
            for (const int *inner = numbers.data() + 5; inner > numbers.data(); --inner)
                if (*at < 1 || *inner < 2) wrong++;
#pragma omp taskloop if (0) firstprivate(last) shared(wrong)
        for (int &number : numbers) {
            if (last != "1") wrong++;
            number = 0;
        }
    }
    std::printf("%ld %s %d %ld %d %d\n", sum, last.c_str(), counted.value, wrong, numbers[0], copies > 0);
    return 0;
}
