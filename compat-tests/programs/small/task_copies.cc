// C++ objects in tasks: how often they are copied and destroyed, and that each task has a copy of its own.
#include <omp.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

static long made, gone, wrong;

struct Counted {
    explicit Counted(int value) : value(value), self(this) { count(made); }
    Counted(const Counted &other) : value(other.value + 1), self(this) { count(made); }
    Counted &operator=(const Counted &) = delete;
    ~Counted() {
        if (self != this) count(wrong);
        count(gone);
    }
    static void count(long &counter) {
#pragma omp atomic
        counter += 1;
    }
    int value;
    Counted *self;
};

static void tasks(bool deferred, bool last) {
    Counted counted(10);
    std::string text(5000, 'a');
    std::vector<int> numbers(300, 4);
    std::shared_ptr<int> shared = std::make_shared<int>(5);
    for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(counted, text, numbers, shared) if (deferred) final(last)
        {
            text[0] = 'b';
            numbers.push_back(i);
            if (counted.value < 11 || counted.self != &counted) Counted::count(wrong);
            if (text.find('a') != 1 || numbers.size() != 301 || *shared != 5) Counted::count(wrong);
#pragma omp task firstprivate(counted) mergeable
            if (counted.value < 12 && !omp_in_final()) Counted::count(wrong);
#pragma omp taskwait
        }
    }
#pragma omp taskwait
    std::printf("made %ld, gone %ld, wrong %ld, %ld users\n", made, gone, wrong, shared.use_count());
}

int main() {
#pragma omp parallel
#pragma omp single
    {
        tasks(true, false);
        tasks(false, false);
        tasks(true, true);
        // More than the runtime defers.
        Counted counted(1);
#pragma omp taskgroup
        for (int i = 0; i < 2000; i++) {
#pragma omp task firstprivate(counted)
            if (counted.value != 2) Counted::count(wrong);
        }
    }
    tasks(true, false);
    std::printf("made %ld, gone %ld, wrong %ld\n", made, gone, wrong);
    return 0;
}
