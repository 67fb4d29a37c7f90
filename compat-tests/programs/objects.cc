// C++ in regions: constructors and destructors of private copies, tasks that copy objects, reductions of classes,
// exceptions that stay inside, locks behind a guard.
#include <omp.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class Lock {
public:
    Lock() { omp_init_lock(&lock); }
    ~Lock() { omp_destroy_lock(&lock); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
    void lock_it() { omp_set_lock(&lock); }
    void unlock_it() { omp_unset_lock(&lock); }

private:
    omp_lock_t lock;
};

class Guard {
public:
    explicit Guard(Lock &lock) : lock(lock) { lock.lock_it(); }
    ~Guard() { lock.unlock_it(); }

private:
    Lock &lock;
};

std::string joined(const std::string &a, const std::string &b) { return a.size() < b.size() ? b : a; }

#pragma omp declare reduction(longest : std::string : omp_out = joined(omp_out, omp_in)) initializer(omp_priv = "")

int level_of(int depth) {
    if (depth == 0) throw std::runtime_error("bottom");
    return level_of(depth - 1) + 1;
}

} // namespace

int main() {
    std::vector<int> squares(64);
    std::string longest, seed = "seed";
    long caught = 0, nested = 0, copied = 0, guarded = 0;
    Lock lock;
#pragma omp parallel for schedule(dynamic, 3) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (std::vector<int>::iterator it = squares.begin(); it < squares.end(); ++it)
        *it = static_cast<int>(it - squares.begin()) * static_cast<int>(it - squares.begin());
#pragma omp parallel firstprivate(seed) reduction(longest : longest) /* expect: FORK 1, IBAR T, IDLE T-1 */
    {                                                                 /* expect: ATWT 0..T-1 */
        seed += "ling";
        longest = seed;
    }
#pragma omp parallel reduction(+ : caught, nested) /* expect: FORK 1, IBAR T, IDLE T-1, ATWT 0..T-1 */
    {
        try {
            caught += level_of(20);
        } catch (const std::runtime_error &) {
            caught += 1;
        }
#pragma omp critical(throwing) /* expect: CTWT 0..T-1 */
        {
            try {
                level_of(3);
            } catch (...) {
                caught += 1;
            }
        }
#pragma omp for schedule(dynamic) /* expect: IBAR T */
        for (int i = 0; i < 10; i++) {
            try {
                level_of(i);
            } catch (const std::exception &) {
                nested += 1;
            }
        }
#pragma omp single /* expect: SINGLE 1, EBAR T */
        for (int i = 0; i < 10; i++) {
            std::string text(1000 + i, 'x');
#pragma omp task firstprivate(text) /* expect: TASK 10 */
            {
                try {
                    if (text.size() % 2) throw text;
#pragma omp atomic
                    copied += static_cast<long>(text.size());
                } catch (const std::string &thrown) {
#pragma omp atomic
                    copied += static_cast<long>(thrown.size());
                }
            }
        }
        for (int i = 0; i < 20; i++) {
            Guard guard(lock); /* expect: LKWT 0..20*T*(T>1) */
            guarded += 1;
        }
    }
    std::printf("%d %s %ld %ld %ld %ld\n", squares[63], longest.c_str(), caught / omp_get_max_threads(), nested, copied,
                guarded / omp_get_max_threads());
    return 0;
}
